package io.tallystick.misbehaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.Anchor;
import io.tallystick.evidence.KeyChain;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Proposal;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.TreeSize;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.JdkSignatures;
import io.tallystick.testkit.ReferenceLedger;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: nobody can bend a key chain, a proposal, an anchor or evidence of misbehaviour. Method:
/// one bit of each byte of a genuine one is flipped, and each cut is made; the verifier must reject
/// every one as documented.
class MutationOfEvidenceTest {
  private static final Fixtures LEDGER = Fixtures.ledger();
  private static final Signatures SIGNATURES = new JdkSignatures(new SplittableRandom(1));

  @FunctionalInterface
  interface Verifier {
    void verify(Bytes encoded) throws MalformedException, ProofRejectedException;
  }

  @Test
  void noBitOfAKeyChainCanBeFlipped() throws Exception {
    ReferenceLedger log = ReferenceLedger.found(LEDGER).block(LEDGER.rotation());
    allRejected(
        log.chain(2).encode(),
        bytes -> KeyChain.decode(bytes).verify(log.params(), log.strand(), SIGNATURES));
  }

  @Test
  void noBitOfAProposalCanBeFlipped() throws Exception {
    Proposal proposal =
        Proposal.of(
                LEDGER
                    .govern(Kind.CLOSE, Extension.Close.INSTANCE, Fixtures.ALICE)
                    .requests()
                    .getFirst())
            .signedBy(Fixtures.ALICE);
    allRejected(
        proposal.encode(), bytes -> Proposal.decode(bytes).verify(LEDGER.keys(), SIGNATURES));
  }

  @Test
  void noBitOfAnAnchorCanBeFlipped() throws Exception {
    ReferenceLedger log = ReferenceLedger.found(LEDGER);
    Anchor anchor = new Anchor(log.strand(), new TreeSize(2), log.rootAt(2));
    allRejected(
        anchor.sign(Fixtures.ALICE),
        bytes -> Anchor.verify(bytes, log.strand(), LEDGER.keys(), SIGNATURES));
  }

  @Test
  void noBitOfAFalseSealsEvidenceCanBeFlipped() throws Exception {
    ReferenceLedger log = ReferenceLedger.found(LEDGER).falseBlock(LEDGER.single(1), Digest.ZERO);
    Misbehaviour evidence =
        new Misbehaviour(
            Claim.FALSE_SEAL,
            log.params(),
            KeyChain.EMPTY.encode(),
            List.of(log.receiptFile(3, 4).encode()),
            List.of());
    allRejected(
        evidence.encode(),
        bytes ->
            Misbehaviour.decode(bytes)
                .confirm(
                    log.strand(),
                    SIGNATURES,
                    (unused, ignored) -> {
                      throw new AssertionError("no token is shown");
                    }));
  }

  private static void allRejected(Bytes genuine, Verifier verifier) throws Exception {
    verifier.verify(genuine);
    SplittableRandom random = new SplittableRandom(genuine.size());
    for (int i = 0; i < genuine.size(); i++) {
      byte[] bent = genuine.toArray();
      bent[i] ^= (byte) (1 << random.nextInt(8));
      assertThat(rejected(Bytes.wrap(bent), verifier)).as("byte %d", i).isTrue();
      assertThat(rejected(genuine.slice(0, i), verifier)).as("cut at %d", i).isTrue();
    }
  }

  private static boolean rejected(Bytes bent, Verifier verifier) {
    try {
      verifier.verify(bent);
      return false;
    } catch (MalformedException | ProofRejectedException e) {
      return true;
    }
  }
}
