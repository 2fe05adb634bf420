package io.tallystick.node;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import java.util.List;
import java.util.Optional;

/// Something that a node is to do and to answer, and that is no append of a member. What it says is
/// durable when it has answered.
///
/// @param <R> of the answer
public sealed interface NodeChange<R> {
  /// {@link LedgerDirectory#createLedger}.
  record Found(Founding founding) implements NodeChange<CreatedLedger> {}

  /// {@link LedgerAppends#makeReadOnly}.
  record MakeReadOnly(LedgerId ledger, long seenSize, String by) implements NodeChange<Done> {}

  /// {@link LedgerAppends#liftReadOnly}.
  record LiftReadOnly(LedgerId ledger, Optional<String> by) implements NodeChange<Boolean> {}

  /// {@link TimeJournals#append}.
  record AppendTime(TimeAnchor anchor) implements NodeChange<AnchoredAt> {}

  /// {@link OpenProposals#replace}.
  ///
  /// @param before empty if none is expected
  record ReplaceProposal(Optional<KeptProposal> before, KeptProposal after)
      implements NodeChange<Boolean> {}

  /// {@link OpenProposals#remove}.
  record RemoveProposal(KeptProposal kept) implements NodeChange<Boolean> {}

  /// {@link OpenProposals#dropGone}.
  record DropGoneProposals() implements NodeChange<Done> {}

  /// {@link KeptAnchors#keep}.
  record KeepAnchor(KeptAnchor anchor) implements NodeChange<Done> {}

  /// {@link MemberCertificates#show}.
  record ShowCertificates(LedgerId ledger, CertificateChain chain) implements NodeChange<Long> {}

  /// {@link MemberCertificates#erase}.
  record EraseCertificates(LedgerId ledger, Digest certDigest) implements NodeChange<Boolean> {}

  /// {@link MemberCertificates#dropExpired}.
  record DropExpiredCertificates() implements NodeChange<Done> {}

  /// {@link LedgerPurges#prepare}.
  record PrepareSnapshot(StrandId strand, long height, List<Digest> absent)
      implements NodeChange<Bytes> {
    public PrepareSnapshot {
      absent = List.copyOf(absent);
    }
  }
}
