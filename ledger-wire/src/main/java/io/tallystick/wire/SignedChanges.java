package io.tallystick.wire;

import io.tallystick.cose.CoseSign1;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.Anchor;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.AttestationVerifier;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.KeptAnchor;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.KeptProposal.Outcome;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.Member;
import io.tallystick.node.MemberLookup;
import io.tallystick.node.MemberToken;
import io.tallystick.node.MemberTokens;
import io.tallystick.node.NodeChange;
import io.tallystick.node.ProposalRules;
import io.tallystick.node.SignaturePolicy;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The word of a member behind each change that a proxy asks for: a signature in a proposal or an
/// anchor, a token of the member that withdraws or erases. Without it who holds a proxy's
/// certificate could undo what members said. Thread-safe. Source: `docs/operations/cluster.md`.
final class SignedChanges {
  private static final int ADDRESS_CHARS_MAX = 256;
  private static final int INVITATION_CHARS_MAX = 4_096;

  private final Signatures signatures;
  private final MemberTokens tokens;

  SignedChanges(Signatures signatures, MemberTokens tokens) {
    this.signatures = signatures;
    this.tokens = tokens;
  }

  /// @throws RequestRejectedException `BAD_SIGNATURE`, `UNKNOWN_KEY`, `TOKEN_REQUIRED`,
  ///   `TOKEN_INVALID`, `ROLE_NOT_ALLOWED`, `MALFORMED`, `TOO_LARGE`, `SIGNATURES_MISSING`; as
  ///   {@link ProposalRules#checkMayBegin}
  void check(LedgerNode node, NodeChange<?> change) throws RequestRejectedException {
    switch (change) {
      case NodeChange.ReplaceProposal it -> checkReplaced(node, it);
      case NodeChange.RemoveProposal(KeptProposal kept, Optional<MemberToken> token) ->
          ProposalRules.checkMayWithdraw(node, appender(node, kept.ledger(), token), kept);
      case NodeChange.KeepAnchor(KeptAnchor anchor) -> checkAnchor(node, anchor);
      case NodeChange.EraseCertificates it -> checkOwner(appender(node, it.ledger(), it.token()));
      case NodeChange.SubmitHead it -> {
        checkAtMost("address", it.address(), ADDRESS_CHARS_MAX);
        checkAtMost("invitation", it.invitation(), INVITATION_CHARS_MAX);
      }
      case NodeChange.Found _,
          NodeChange.ShowCertificates _,
          NodeChange.PrepareSnapshot _,
          NodeChange.MakeReadOnly _,
          NodeChange.LiftReadOnly _,
          NodeChange.AppendTime _,
          NodeChange.WantTime _,
          NodeChange.NoTime _,
          NodeChange.ShowCosigned _,
          NodeChange.DropGoneProposals _,
          NodeChange.DropExpiredCertificates _ -> {}
    }
  }

  private static void checkAtMost(String what, String text, int max)
      throws RequestRejectedException {
    if (text.length() > max) {
      throw new RequestRejectedException(
              RejectionCode.TOO_LARGE,
              String.format(
                  Locale.ROOT, "%s of %d characters, at most %d", what, text.length(), max))
          .withLimit(max);
    }
  }

  private Member appender(LedgerNode node, LedgerId ledger, Optional<MemberToken> token)
      throws RequestRejectedException {
    if (token.isEmpty()) {
      throw new RequestRejectedException(
          RejectionCode.TOKEN_REQUIRED, "the change names no member that asks for it");
    }
    Member member = tokens.verify(node, ledger, token.get());
    if (!member.role().mayAppend()) {
      throw notAllowed("member " + member.key().kid() + " is " + member.role());
    }
    return member;
  }

  private static void checkOwner(Member member) throws RequestRejectedException {
    if (member.role() != Role.OWNER) {
      throw notAllowed("member " + member.key().kid() + " is no owner");
    }
  }

  /// A proxy adds signatures, and leaves out those that count no more. What becomes of a proposal
  /// the owner of its shard notes.
  private void checkReplaced(LedgerNode node, NodeChange.ReplaceProposal change)
      throws RequestRejectedException {
    KeptProposal after = change.after();
    if (!(after.outcome() instanceof Outcome.Open
        || after.outcome() instanceof Outcome.Submitting)) {
      throw notAllowed("a proxy does not note what became of a proposal");
    }
    if (change.before().isEmpty()) {
      ProposalRules.checkMayBegin(after.proposal().request(), node.timeMs(), node.clockMs());
    }
    checkSignatures(node, after.proposal());
    if (after.outcome() instanceof Outcome.Submitting) {
      checkComplete(node, after);
    }
    if (change.before().isPresent()) {
      checkKept(node, change.before().get(), after.proposal());
    }
  }

  /// One that is submitted takes no signature any more.
  private static void checkComplete(LedgerNode node, KeptProposal kept)
      throws RequestRejectedException {
    List<Member> missing =
        SignaturePolicy.of(kept.proposal().request().kind())
            .missing(
                node.members(kept.ledger()).members(), kept.proposal().signers(), node.timeMs());
    if (!missing.isEmpty()) {
      throw new RequestRejectedException(
          RejectionCode.SIGNATURES_MISSING,
          "proposal " + kept.requestHash() + " waits for " + missing.getFirst().key().kid());
    }
  }

  private void checkSignatures(LedgerNode node, Proposal proposal) throws RequestRejectedException {
    if (proposal.signatures().isEmpty()) {
      throw new RequestRejectedException(RejectionCode.MALFORMED, "nobody has signed the proposal");
    }
    MemberLookup keys = new MemberLookup(node, proposal.request().strand().ledger());
    try {
      var _ =
          AttestationVerifier.verifyMembers(
              proposal.request().strand(),
              proposal.requestHash().toBytes(),
              new Attestation(proposal.signatures()),
              keys,
              signatures);
    } catch (ProofRejectedException e) {
      throw keys.cause(SubmissionVerifier.refused(e));
    }
  }

  private static void checkKept(LedgerNode node, KeptProposal before, Proposal after)
      throws RequestRejectedException {
    if (!before.takesSignatures() || !before.requestHash().equals(after.requestHash())) {
      throw notAllowed("proposal " + before.requestHash() + " takes no signature of this one");
    }
    for (CoseSign1 each : before.proposal().signatures()) {
      Digest kid = Proposal.kid(each);
      if (!after.signedBy(kid) && ProposalRules.signing(node, before.ledger(), kid).isPresent()) {
        throw notAllowed("the signature of member " + kid + " is left out");
      }
    }
  }

  private void checkAnchor(LedgerNode node, KeptAnchor kept) throws RequestRejectedException {
    MemberLookup keys = new MemberLookup(node, kept.anchor().strand().ledger());
    Anchor.Signed signed;
    try {
      signed = Anchor.verify(kept.encoded(), kept.anchor().strand(), keys, signatures);
    } catch (ProofRejectedException e) {
      throw keys.cause(SubmissionVerifier.refused(e));
    }
    if (!signed.equals(new Anchor.Signed(kept.anchor(), kept.kid()))) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, "the anchor is not the one that was signed");
    }
  }

  private static RequestRejectedException notAllowed(String why) {
    return new RequestRejectedException(RejectionCode.ROLE_NOT_ALLOWED, why);
  }
}
