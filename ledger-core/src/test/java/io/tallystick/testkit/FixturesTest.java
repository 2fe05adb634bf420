package io.tallystick.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: the keys of tests are real keys, and the same in every run. Method: the JDK reads and
/// verifies them, and one id is pinned.
class FixturesTest {
  private static final byte[] MESSAGE = {1, 2, 3};

  @Test
  void theJdkVerifiesEverySignature() throws Exception {
    for (SeededSigner signer : List.of(Fixtures.ALICE, Fixtures.BOB)) {
      byte[] signature = signer.sign(MESSAGE);
      assertThat(verifies(signer.publicKey(), signature)).isTrue();
      assertThat(signer.sign(MESSAGE)).isEqualTo(signature);
    }
    byte[] flipped = SeededSigner.flipped(Fixtures.BOB.sign(MESSAGE));
    assertThat(flipped).isNotEqualTo(Fixtures.BOB.sign(MESSAGE));
    assertThat(verifies(Fixtures.BOB.publicKey(), flipped)).isTrue();
  }

  @Test
  void theJdkReadsTheExportedKeys() throws Exception {
    for (SeededSigner signer : List.of(Fixtures.ALICE, Fixtures.BOB)) {
      String algorithm = isEd(signer.publicKey()) ? "Ed25519" : "EC";
      assertThat(
              KeyFactory.getInstance(algorithm)
                  .generatePrivate(new PKCS8EncodedKeySpec(signer.exportPkcs8())))
          .isNotNull();
    }
  }

  @Test
  void theSampleLedgerNeverChanges() {
    assertThat(Fixtures.ledger().params().ledgerId().hex())
        .isEqualTo("5f4793ab1d67df90a03d1d9bc110d940623acf5cfead2e79c2240c5d699890db");
    assertThat(Fixtures.ledger().single(1).attestation())
        .isEqualTo(Fixtures.ledger().single(1).attestation());
  }

  private static boolean verifies(PublicKey key, byte[] signature) throws Exception {
    KeyFactory factory = KeyFactory.getInstance(isEd(key) ? "Ed25519" : "EC");
    Signature verifier =
        Signature.getInstance(isEd(key) ? "Ed25519" : "SHA256withECDSAinP1363Format");
    verifier.initVerify(factory.generatePublic(new X509EncodedKeySpec(key.spki().toArray())));
    verifier.update(MESSAGE);
    return verifier.verify(signature);
  }

  private static boolean isEd(PublicKey key) {
    return key.algorithm() == SignatureAlgorithm.ED25519;
  }
}
