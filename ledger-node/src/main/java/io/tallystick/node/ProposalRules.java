package io.tallystick.node;

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
