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
  ///
  /// @param token of the member that withdraws it; empty where nobody asks for one
  record RemoveProposal(KeptProposal kept, Optional<MemberToken> token)
      implements NodeChange<Boolean> {}

  /// {@link OpenProposals#dropGone}.
  record DropGoneProposals() implements NodeChange<Done> {}

  /// {@link KeptAnchors#keep}.
  record KeepAnchor(KeptAnchor anchor) implements NodeChange<Done> {}

  /// {@link MemberCertificates#show}.
  record ShowCertificates(LedgerId ledger, CertificateChain chain) implements NodeChange<Long> {}

  /// {@link MemberCertificates#erase}.
  ///
  /// @param token of the owner that asks for it; empty where nobody asks for one
  record EraseCertificates(LedgerId ledger, Digest certDigest, Optional<MemberToken> token)
      implements NodeChange<Boolean> {}

  /// {@link MemberCertificates#dropExpired}.
  record DropExpiredCertificates() implements NodeChange<Done> {}

  /// Asks for a time of a strand's newest head now, of whoever asks outsiders.
  record WantTime(StrandId strand) implements NodeChange<Done> {}

  /// Says why a head that is wanted gets no time.
  ///
  /// @param why its detail of at most 1,024 characters
  record NoTime(StrandId strand, TimeRefusal why) implements NodeChange<Done> {}

  /// Shows a head as enough witnesses have cosigned it.
  ///
  /// @param note of at most 64 KiB
  record ShowCosigned(StrandId strand, Bytes note) implements NodeChange<Done> {}

  /// Enters the head of another ledger into the T-Ledger that the shard's owner writes.
  ///
  /// @param genesisParams of the ledger, which its ledgerId commits to
  /// @param keyChain type 14
  /// @param entry type 22
  /// @param address of the caller, without its port; empty if it is not known
  /// @param invitation as sent; empty if there is none
  record SubmitHead(
      LedgerId tLedger,
      Bytes genesisParams,
      Bytes keyChain,
      Bytes entry,
      String address,
      String invitation)
      implements NodeChange<TakenEntry> {
    /// The invitation is a secret.
    @Override
    public String toString() {
      return "SubmitHead[" + tLedger + ", " + address + "]";
    }
  }

  /// {@link LedgerPurges#prepare}.
  record PrepareSnapshot(StrandId strand, long height, List<Digest> absent)
      implements NodeChange<Bytes> {
    public PrepareSnapshot {
      absent = List.copyOf(absent);
    }
  }
}
