package io.tallystick.crypto.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.testkit.Effort;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: all providers accept the same signatures, and the JDK agrees where its own set is ours.
/// Method: thousands of valid signatures and mutations of them from one fixed seed, each shown to
/// every provider.
class ProviderAgreementTest {
  private static final long SEED = 0x7a11_5710_c0ffeeL;
  private static final int KEYS = Effort.of(4, 12);
  private static final int MESSAGES = 4;
  private static final int MUTATIONS = 40;

  @ParameterizedTest
  @EnumSource(SignatureAlgorithm.class)
  void allProvidersAgreeOnValidAndMutatedSignatures(SignatureAlgorithm algorithm) throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    List<Signatures> providers = SignatureProviders.all();
    int accepted = 0;
    for (int i = 0; i < KEYS * MESSAGES; i++) {
      Signer signer = providers.get(i % providers.size()).generate(algorithm);
      byte[] message = new byte[random.nextInt(200)];
      random.nextBytes(message);
      byte[] signature = signer.sign(message);
      assertThat(sharedAnswer(signer.publicKey(), message, signature)).isTrue();
      for (int m = 0; m < MUTATIONS; m++) {
        byte[] mutated = mutate(signature, random);
        accepted += sharedAnswer(signer.publicKey(), message, mutated) ? 1 : 0;
      }
      byte[] other = message.length == 0 ? new byte[1] : mutate(message, random);
      assertThat(sharedAnswer(signer.publicKey(), other, signature)).isFalse();
    }
    assertThat(accepted).isZero();
  }

  private static boolean sharedAnswer(PublicKey key, byte[] message, byte[] signature)
      throws GeneralSecurityException {
    List<Boolean> answers = new ArrayList<>();
    for (Signatures provider : SignatureProviders.all()) {
      answers.add(Accepts.accepts(provider, key, message, signature));
    }
    answers.add(jdkAccepts(key, message, signature));
    assertThat(answers)
        .as("%s over %s by %s", hex(signature), hex(message), key.spki().hex())
        .containsOnly(answers.getFirst());
    return answers.getFirst();
  }

  private static boolean jdkAccepts(PublicKey key, byte[] message, byte[] signature)
      throws GeneralSecurityException {
    boolean edwards = key.algorithm() == SignatureAlgorithm.ED25519;
    KeyFactory keys = KeyFactory.getInstance(edwards ? "Ed25519" : "EC");
    Signature jdk = Signature.getInstance(edwards ? "Ed25519" : "SHA256withECDSAinP1363Format");
    jdk.initVerify(keys.generatePublic(new X509EncodedKeySpec(key.spki().toArray())));
    jdk.update(message);
    try {
      return jdk.verify(signature);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  private static byte[] mutate(byte[] original, SplittableRandom random) {
    byte[] mutated = original.clone();
    int at = random.nextInt(mutated.length);
    switch (random.nextInt(4)) {
      case 0 -> mutated[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> mutated[at] += (byte) (1 + random.nextInt(255));
      case 2 -> fillHalf(mutated, original, random, (byte) 0);
      default -> fillHalf(mutated, original, random, (byte) 0xff);
    }
    return mutated;
  }

  /// Sets the low or the high half to one value; what was so already gets a flipped bit instead.
  private static void fillHalf(
      byte[] mutated, byte[] original, SplittableRandom random, byte value) {
    int half = mutated.length / 2;
    int from = random.nextBoolean() ? 0 : half;
    for (int i = from; i < from + half; i++) {
      mutated[i] = value;
    }
    if (Arrays.equals(mutated, original)) {
      mutated[0] ^= 1;
    }
  }

  private static String hex(byte[] bytes) {
    return Bytes.copyOf(bytes).hex();
  }

  /// ES256's twin with n − s is the same signature to everyone: both are accepted.
  @Test
  void everyProviderAcceptsBothS() throws MalformedException, GeneralSecurityException {
    Signer signer = SignatureProviders.best().generate(SignatureAlgorithm.ES256);
    for (int i = 0; i < 20; i++) {
      byte[] message = {(byte) i};
      byte[] signature = signer.sign(message);
      byte[] twin =
          P256.joined(
              P256.scalar(signature, 0), P256.DOMAIN.getN().subtract(P256.scalar(signature, 32)));
      assertThat(sharedAnswer(signer.publicKey(), message, signature)).isTrue();
      assertThat(sharedAnswer(signer.publicKey(), message, twin)).isTrue();
    }
  }
}
