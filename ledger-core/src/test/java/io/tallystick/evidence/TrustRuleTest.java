package io.tallystick.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.ForkException;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.head.TrustRule;
import io.tallystick.head.TrustedHead;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.testkit.JdkSignatures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.SeededSigner;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/// The trust rule on two logs with one genesis: heads of one log go together in whatever form they
/// were signed, heads of two do not, and the contradiction can be shown to others.
class TrustRuleTest {
  private final ReferenceLedger log = ReferenceLedger.sample();
  private final ReferenceLedger forked = ReferenceLedger.sample(100, 4, 4);
  private final Signatures signatures = new JdkSignatures(new SplittableRandom(1));

  @Test
  void readsEitherFormOfEvidenceBack() throws ProofRejectedException {
    SignedHead fromNote = checkpoint(log, 7);
    SignedHead fromReceipt = receipt(log, 7);
    assertThat(reread(fromNote)).isEqualTo(fromNote);
    assertThat(reread(fromReceipt)).isEqualTo(fromReceipt);
    assertThat(fromNote.statesSameAs(fromReceipt)).isTrue();
    assertThat(fromNote.statesSameAs(receipt(log, 12))).isFalse();
  }

  @Test
  void noticesEveryFlippedBitOfEvidence() throws ProofRejectedException {
    Rejections.assertEveryBitCounts(receipt(log, 7).evidence().encoded(), this::reread);
    Rejections.assertEveryByteCounts(receipt(log, 7).evidence().encoded(), this::reread);
  }

  @Test
  void takesTheSameHeadFromACheckpointAndAReceipt() throws ProofRejectedException {
    TrustedHead trusted = TrustRule.first(checkpoint(log, 7));
    assertThat(TrustRule.missing(trusted, receipt(log, 7))).isEmpty();
    assertThat(TrustRule.accept(trusted, receipt(log, 7))).isEqualTo(trusted);
    assertThat(TrustRule.accept(trusted, receipt(log, 7), log.consistency(3, 5)))
        .isEqualTo(trusted);
  }

  @Test
  void movesToALargerHeadWithAProofOnly() throws ProofRejectedException {
    TrustedHead trusted = TrustRule.first(checkpoint(log, 7));
    assertThat(TrustRule.missing(trusted, receipt(log, 12)))
        .contains(new TrustRule.Missing(new TreeSize(7), new TreeSize(12)));
    Rejections.assertRejected(Reason.MISSING, () -> TrustRule.accept(trusted, receipt(log, 12)));
    assertThat(TrustRule.accept(trusted, receipt(log, 12), log.consistency(7, 12)))
        .isEqualTo(new TrustedHead(receipt(log, 12)));
  }

  @Test
  void takesASmallerHeadWithAProofAndStaysAtTheLarger() throws ProofRejectedException {
    TrustedHead trusted = TrustRule.first(receipt(log, 12));
    assertThat(TrustRule.missing(trusted, checkpoint(log, 7)))
        .contains(new TrustRule.Missing(new TreeSize(7), new TreeSize(12)));
    assertThat(TrustRule.accept(trusted, checkpoint(log, 7), log.consistency(7, 12)))
        .isEqualTo(trusted);
  }

  @Test
  void acceptsEveryPairOfHeadsOfOneLog() throws ProofRejectedException {
    for (int to = 2; to <= log.size(); to++) {
      for (int from = 1; from < to; from++) {
        TrustedHead trusted = TrustRule.first(checkpoint(log, from));
        assertThat(TrustRule.accept(trusted, receipt(log, to), log.consistency(from, to)).head())
            .isEqualTo(receipt(log, to));
      }
    }
  }

  @Test
  void rejectsAProofOfOtherSizes() throws ProofRejectedException {
    TrustedHead trusted = TrustRule.first(checkpoint(log, 7));
    Rejections.assertRejected(
        Reason.WRONG_SIZE,
        () -> TrustRule.accept(trusted, receipt(log, 12), log.consistency(6, 12)));
  }

  @Test
  void callsTwoRootsOfOneSizeAForkInWhateverMix() throws ProofRejectedException {
    List<SignedHead> ours = List.of(checkpoint(log, 7), receipt(log, 7));
    List<SignedHead> theirs = List.of(checkpoint(forked, 7), receipt(forked, 7));
    for (SignedHead head : ours) {
      for (SignedHead other : theirs) {
        ForkException fork =
            fork(Reason.FORK, () -> TrustRule.accept(TrustRule.first(head), other));
        assertThat(fork.trusted()).isEqualTo(head);
        assertThat(fork.offered()).isEqualTo(other);
        assertConvicts(fork);
      }
    }
  }

  /// The forked log cannot join its head to ours; the proof from its own older tree convicts it.
  @Test
  void callsALogThatBeginsOtherwiseAFork() throws ProofRejectedException {
    TrustedHead trusted = TrustRule.first(checkpoint(log, 7));
    SignedHead offered = receipt(forked, 12);
    assertConvicts(
        fork(Reason.FORK, () -> TrustRule.accept(trusted, offered, forked.consistency(7, 12))));
  }

  @Test
  void namesBothHeadsWhenAProofDoesNotJoinThem() throws ProofRejectedException {
    TrustedHead trusted = TrustRule.first(checkpoint(log, 7));
    SignedHead offered = receipt(forked, 12);
    ForkException unjoined =
        fork(
            Reason.ROOT_MISMATCH, () -> TrustRule.accept(trusted, offered, log.consistency(7, 12)));
    assertThat(unjoined.offered()).isEqualTo(offered);
    Rejections.assertRejected(
        Reason.MISSING,
        () -> ForkEvidence.of(unjoined).confirm(log.strand(), log.keys(), signatures));
    ConsistencyProof cut = new ConsistencyProof(7, 12, List.of());
    fork(Reason.WRONG_PATH_LENGTH, () -> TrustRule.accept(trusted, receipt(log, 12), cut));
  }

  @Test
  void callsASmallerNewestHeadARollback() throws ProofRejectedException {
    TrustedHead trusted = TrustRule.first(receipt(log, 12));
    ForkException rollback =
        fork(Reason.ROLLBACK, () -> TrustRule.checkNewest(trusted, checkpoint(log, 7)));
    assertThat(rollback.trusted().size().value()).isEqualTo(12);
    assertThat(rollback.offered().size().value()).isEqualTo(7);
    TrustRule.checkNewest(trusted, checkpoint(log, 12));
    TrustRule.checkNewest(TrustRule.first(checkpoint(log, 7)), checkpoint(log, 12));
  }

  @Test
  void neverComparesHeadsOfDifferentStrands() throws ProofRejectedException {
    SignedHead head = receipt(log, 7);
    SignedHead elsewhere =
        new SignedHead(
            new StrandId(new LedgerId(Digest.ZERO), 0), head.size(), head.root(), head.evidence());
    TrustedHead trusted = TrustRule.first(head);
    Rejections.assertRejected(Reason.WRONG_LEDGER, () -> TrustRule.missing(trusted, elsewhere));
    Rejections.assertRejected(Reason.WRONG_LEDGER, () -> TrustRule.checkNewest(trusted, elsewhere));
  }

  @Test
  void takesTwoDifferentEd25519KeysForAServicesOwn() {
    ServiceKeys keys = log.keys();
    PublicKey es256 = SeededSigner.es256("service").publicKey();
    for (List<PublicKey> pair :
        List.of(
            List.of(es256, keys.receiptKey()),
            List.of(keys.noteKey(), es256),
            List.of(keys.noteKey(), keys.noteKey()))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new ServiceKeys(keys.authority(), pair.getFirst(), pair.getLast()));
    }
  }

  @Test
  void noticesEveryFlippedBitOfForkEvidence() throws ProofRejectedException {
    TrustedHead trusted = TrustRule.first(checkpoint(log, 7));
    ForkEvidence evidence =
        ForkEvidence.of(
            fork(
                Reason.FORK,
                () -> TrustRule.accept(trusted, receipt(forked, 12), forked.consistency(7, 12))));
    Rejections.assertEveryBitCounts(evidence.encode(), this::confirm);
    Rejections.assertEveryByteCounts(evidence.encode(), this::confirm);
  }

  @Test
  void convictsNobodyForHeadsThatAgree() throws ProofRejectedException {
    ForkEvidence same =
        new ForkEvidence(log.checkpoint(7), receipt(log, 7).evidence().encoded(), Optional.empty());
    Rejections.assertRejected(Reason.MISSING, () -> confirm(same.encode()));
    ForkEvidence joined =
        new ForkEvidence(
            log.checkpoint(7), log.checkpoint(12), Optional.of(log.consistency(7, 12)));
    Rejections.assertRejected(Reason.MISSING, () -> confirm(joined.encode()));
  }

  private void assertConvicts(ForkException fork) throws ProofRejectedException {
    Bytes file = ForkEvidence.of(fork).encode();
    try {
      ForkException confirmed =
          ForkEvidence.decode(file).confirm(log.strand(), log.keys(), signatures);
      assertThat(confirmed.trusted()).isEqualTo(fork.trusted());
      assertThat(confirmed.offered()).isEqualTo(fork.offered());
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private void confirm(Bytes file) throws MalformedException, ProofRejectedException {
    ForkEvidence.decode(file).confirm(log.strand(), log.keys(), signatures);
  }

  private static ForkException fork(Reason reason, ThrowingCallable acceptance) {
    ForkException[] caught = new ForkException[1];
    assertThatThrownBy(acceptance)
        .isInstanceOfSatisfying(
            ForkException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(reason);
              caught[0] = e;
            });
    return caught[0];
  }

  private SignedHead reread(SignedHead head) throws ProofRejectedException {
    return reread(head.evidence().encoded());
  }

  private SignedHead reread(Bytes evidence) throws ProofRejectedException {
    return HeadStatement.verify(evidence, log.strand(), log.keys(), signatures);
  }

  private SignedHead checkpoint(ReferenceLedger of, int size) throws ProofRejectedException {
    return reread(of.checkpoint(size));
  }

  private SignedHead receipt(ReferenceLedger of, int size) throws ProofRejectedException {
    return of.headSignature(size).verify(of.rootAt(size), of.strand(), of.keys(), signatures);
  }
}
