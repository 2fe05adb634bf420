package io.tallystick.crypto.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.model.Digest;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.security.Security;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: providers are found, shared between threads, and change nothing for the rest of the
/// process.
class SignatureProvidersTest {
  private static final int THREADS = 8;
  private static final int KEYS = 3;
  private static final int ROUNDS = 40;

  static List<Signatures> providers() {
    return SignatureProviders.all();
  }

  @Test
  void alwaysOffersBouncyCastleAndNamesWhatDoesNotRun() {
    assertThat(SignatureProviders.byName("bouncycastle")).isPresent();
    assertThat(SignatureProviders.byName("no such provider")).isEmpty();
    assertThat(SignatureProviders.byName("ACCP").isPresent())
        .isEqualTo(SignatureProviders.unavailable().isEmpty());
    assertThat(SignatureProviders.best()).isSameAs(SignatureProviders.all().getFirst());
  }

  /// An application that leaves out a library for another machine than its own.
  @Test
  void doesWithoutAccpOnTheClassPath() throws Exception {
    List<URL> classPath = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (!entry.contains("AmazonCorrettoCryptoProvider")) {
        classPath.add(Path.of(entry).toUri().toURL());
      }
    }
    try (URLClassLoader without =
        new URLClassLoader(classPath.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Class<?> providers = without.loadClass(SignatureProviders.class.getName());
      assertThat((List<?>) providers.getMethod("all").invoke(null)).hasSize(1);
      assertThat(providers.getMethod("unavailable").invoke(null).toString())
          .startsWith("[ACCP is not on the class path: ");
    }
  }

  @Test
  void installsNothingGlobally() {
    SignatureProviders.best().generate(SignatureAlgorithm.ED25519);
    assertThat(Security.getProviders())
        .extracting(provider -> provider.getClass().getName())
        .noneMatch(name -> name.contains("amazon") || name.contains("bouncycastle"));
  }

  @ParameterizedTest
  @MethodSource("providers")
  void signsAndVerifiesOnManyThreadsAtOnce(Signatures provider) throws Exception {
    List<Signer> signers = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      signers.add(provider.generate(SignatureAlgorithm.ED25519));
      signers.add(provider.generate(SignatureAlgorithm.ES256));
    }
    Callable<Integer> work = () -> signAndVerify(provider, signers);
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      for (Future<Integer> done : threads.invokeAll(Collections.nCopies(THREADS, work))) {
        assertThat(done.get()).isEqualTo(ROUNDS * 2 * KEYS);
      }
    }
  }

  private static int signAndVerify(Signatures provider, List<Signer> signers) {
    int right = 0;
    for (int round = 0; round < ROUNDS; round++) {
      for (Signer signer : signers) {
        byte[] message = {(byte) round};
        byte[] signature = signer.sign(message);
        boolean accepted = Accepts.accepts(provider, signer.publicKey(), message, signature);
        message[0]++;
        boolean refused = !Accepts.accepts(provider, signer.publicKey(), message, signature);
        right += accepted && refused ? 1 : 0;
      }
    }
    return right;
  }

  @Test
  void forgetsTheKeyUnusedForLongest() {
    KeyCache<Integer> cache = new KeyCache<>(2);
    Digest[] kids = new Digest[3];
    for (int i = 0; i < kids.length; i++) {
      byte[] bytes = new byte[Digest.BYTES];
      bytes[0] = (byte) i;
      kids[i] = Digest.of(bytes);
    }
    cache.put(kids[0], 0);
    cache.put(kids[1], 1);
    assertThat(cache.get(kids[0])).isZero();
    cache.put(kids[2], 2);
    assertThat(cache.get(kids[1])).isNull();
    assertThat(cache.get(kids[0])).isZero();
    assertThat(cache.size()).isEqualTo(2);
  }
}
