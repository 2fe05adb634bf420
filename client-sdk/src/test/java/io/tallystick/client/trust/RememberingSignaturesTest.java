package io.tallystick.client.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// Goal: what was verified is not verified again, and nothing else is ever taken for it. Method:
/// real signatures behind a counter.
class RememberingSignaturesTest {
  private static final int REMEMBERED_MAX = 256;

  private final Counting counting = new Counting(SignatureProviders.best());
  private final RememberingSignatures remembering = new RememberingSignatures(counting);
  private final Signatures.Signer signer = counting.generate(SignatureAlgorithm.ED25519);

  private static byte[] message(int number) {
    return ("head " + number).getBytes(StandardCharsets.UTF_8);
  }

  private void verify(int message, byte[] signature) throws ProofRejectedException {
    remembering.verify(signer.publicKey(), message(message), signature);
  }

  private void assertRefused(PublicKey key, int message, byte[] signature) {
    assertThatThrownBy(() -> remembering.verify(key, message(message), signature))
        .isInstanceOf(ProofRejectedException.class);
  }

  @Test
  void whatWasGoodIsNotVerifiedAgain() throws Exception {
    byte[] signature = signer.sign(message(1));
    verify(1, signature);
    verify(1, signature.clone());
    assertThat(counting.verified).isEqualTo(1);
  }

  @Test
  void nothingElseIsTakenForIt() throws Exception {
    byte[] signature = signer.sign(message(1));
    verify(1, signature);
    PublicKey other = counting.generate(SignatureAlgorithm.ED25519).publicKey();
    assertRefused(signer.publicKey(), 2, signature);
    assertRefused(other, 1, signature);
    for (int i = 0; i < signature.length; i++) {
      byte[] changed = signature.clone();
      changed[i] ^= 1;
      assertRefused(signer.publicKey(), 1, changed);
    }
  }

  @Test
  void whatWasRefusedIsRefusedAgain() {
    byte[] signature = signer.sign(message(1));
    assertRefused(signer.publicKey(), 2, signature);
    assertRefused(signer.publicKey(), 2, signature);
    assertThat(counting.verified).isEqualTo(2);
  }

  @Test
  void aBufferThatIsUsedAgainChangesNothingRemembered() throws Exception {
    byte[] signature = signer.sign(message(1));
    byte[] buffer = message(1);
    remembering.verify(signer.publicKey(), buffer, signature);
    buffer[0] ^= 1;
    assertThatThrownBy(() -> remembering.verify(signer.publicKey(), buffer, signature))
        .isInstanceOf(ProofRejectedException.class);
  }

  @Test
  void theOldestIsForgotten() throws Exception {
    byte[] first = signer.sign(message(0));
    verify(0, first);
    for (int i = 1; i <= REMEMBERED_MAX; i++) {
      verify(i, signer.sign(message(i)));
    }
    verify(0, first);
    assertThat(counting.verified).isEqualTo(REMEMBERED_MAX + 2);
  }

  private static final class Counting implements Signatures {
    private final Signatures signatures;
    private int verified;

    Counting(Signatures signatures) {
      this.signatures = signatures;
    }

    @Override
    public void verify(PublicKey key, byte[] message, byte[] signature)
        throws ProofRejectedException {
      verified++;
      signatures.verify(key, message, signature);
    }

    @Override
    public String providerName() {
      return signatures.providerName();
    }

    @Override
    public void checkKey(PublicKey key) throws ProofRejectedException {
      signatures.checkKey(key);
    }

    @Override
    public ExportableSigner generate(SignatureAlgorithm algorithm) {
      return signatures.generate(algorithm);
    }

    @Override
    public ExportableSigner importPkcs8(byte[] pkcs8) throws MalformedException {
      return signatures.importPkcs8(pkcs8);
    }
  }
}
