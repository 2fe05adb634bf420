package io.tallystick.removal;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.KeyChain;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.testkit.Effort;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.JdkSignatures;
import io.tallystick.testkit.SampleRemoval;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: nobody can bend a certificate or a pseudo-genesis, and both have one encoding. Method: one
/// bit of each byte of a genuine one is flipped, and each cut is made; the verifier must reject
/// every one as documented. The short form takes each tenth byte.
class MutationOfRemovalTest {
  private static final StrandId STRAND = Fixtures.ledger().strand();
  private static final int STEP = Effort.of(10, 1);
  private static final Signatures SIGNATURES = new JdkSignatures(new SplittableRandom(1));

  @FunctionalInterface
  interface Verifier {
    void verify(Bytes encoded) throws MalformedException, ProofRejectedException;
  }

  @Test
  void noBitOfACertificateCanBeFlipped() throws Exception {
    Bytes certificate = SampleRemoval.certificate().encode();
    assertThat(RemovalCertificate.decode(certificate).encode()).isEqualTo(certificate);
    allRejected(certificate, bytes -> RemovalCertificate.decode(bytes).verify(STRAND, SIGNATURES));
  }

  @Test
  void noBitOfAPseudoGenesisCanBeFlipped() throws Exception {
    PseudoGenesis genuine = SampleRemoval.pseudoGenesis();
    assertThat(PseudoGenesis.decode(genuine.encode())).isEqualTo(genuine);
    assertThat(Snapshot.decode(genuine.snapshot()).encode()).isEqualTo(genuine.snapshot());
    allRejected(
        genuine.encode(),
        bytes -> PseudoGenesis.decode(bytes).verify(STRAND, KeyChain.EMPTY, SIGNATURES));
  }

  private static void allRejected(Bytes genuine, Verifier verifier) throws Exception {
    verifier.verify(genuine);
    SplittableRandom random = new SplittableRandom(genuine.size());
    for (int i = random.nextInt(STEP); i < genuine.size(); i += STEP) {
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
