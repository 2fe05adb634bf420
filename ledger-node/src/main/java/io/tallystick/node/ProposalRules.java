package io.tallystick.node;

import io.tallystick.journal.Kind;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestTimes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import java.util.Optional;

/// Who may change a proposal that a node keeps. Source: `docs/access.md`.
public final class ProposalRules {
  private ProposalRules() {}

  /// The role of a key that may sign, as of the newest committed journal of the ledger; empty for
  /// any other key.
  public static Optional<Role> signing(LedgerNode node, LedgerId ledger, Digest kid)
      throws RequestRejectedException {
    return node.member(ledger, kid)
        .filter(member -> member.currentAt(node.timeMs()) && member.role().mayAppend())
        .map(Member::role);
  }

  /// Whether a request may begin as a proposal now.
  ///
  /// @param nowMs and clockMs of the node
  /// @throws RequestRejectedException `KIND_NOT_ENABLED`, also for a purge; `EXPIRED`, `TOO_EARLY`,
  ///   `WINDOW_TOO_LONG`
  public static void checkMayBegin(RequestHeader request, long nowMs, long clockMs)
      throws RequestRejectedException {
    Kind kind = request.kind();
    if (kind == Kind.PURGE) { // whom it concerns, its snapshot tells
      throw new RequestRejectedException(
          RejectionCode.KIND_NOT_ENABLED,
          "a purge is not kept as a proposal; hand its file from signer to signer and submit it");
    }
    if (!kind.enabled()) {
      throw new RequestRejectedException(
          RejectionCode.KIND_NOT_ENABLED, "kind " + kind.code() + " (" + kind + ") is not enabled");
    }
    RequestTimes.check(request, nowMs, clockMs, Limits.GOVERNANCE_WINDOW_MS_MAX);
  }

  /// An owner may withdraw any proposal; another member one that it signed, while no owner has
  /// signed it. Anyone who may append can sign a proposal: that alone lets nobody take an owner's
  /// away.
  ///
  /// @param member that may append
  /// @throws RequestRejectedException `ROLE_NOT_ALLOWED` if it may not
  public static void checkMayWithdraw(LedgerNode node, Member member, KeptProposal kept)
      throws RequestRejectedException {
    if (member.role() == Role.OWNER) {
      return;
    }
    Digest kid = member.key().kid();
    if (!kept.proposal().signedBy(kid)) {
      throw new RequestRejectedException(
          RejectionCode.ROLE_NOT_ALLOWED,
          "member " + kid + " is no owner and has not signed the proposal");
    }
    for (Digest signer : kept.proposal().signers()) {
      if (signing(node, kept.ledger(), signer).equals(Optional.of(Role.OWNER))) {
        throw new RequestRejectedException(
            RejectionCode.ROLE_NOT_ALLOWED,
            "owner " + signer + " has signed the proposal, and member " + kid + " is no owner");
      }
    }
  }
}
