package io.tallystick.gpu.ptx;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: what clang makes of a SHA-256 kernel computes SHA-256 in the interpreter. Method: the
/// digests of random messages, at lengths around each padding bound, against the JDK's.
@Tag("interpreted")
class Sha256KernelTest {
  private static final PtxModule MODULE = Programs.compiled("sha256_equal");
  private static final int DIGEST_BYTES = 32;

  private static byte[] run(byte[] messages, int length, int count, long seed) {
    byte[] digests = new byte[DIGEST_BYTES * count];
    Interpreter device = new Interpreter(MODULE);
    Arguments arguments =
        new Arguments()
            .u64(device.map(MemorySegment.ofArray(messages)))
            .u32(length)
            .u32(length)
            .u32(count)
            .u64(device.map(MemorySegment.ofArray(digests)));
    device.launch(Launch.of("sha256_equal", (count + 63) / 64, 64, arguments).withSeed(seed));
    return digests;
  }

  private static byte[] expected(byte[] messages, int length, int count)
      throws NoSuchAlgorithmException {
    byte[] digests = new byte[DIGEST_BYTES * count];
    MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
    for (int i = 0; i < count; i++) {
      sha256.update(messages, i * length, length);
      System.arraycopy(sha256.digest(), 0, digests, i * DIGEST_BYTES, DIGEST_BYTES);
    }
    return digests;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 121, 128, 200})
  void digestsAreThoseOfTheJdk(int length) throws NoSuchAlgorithmException {
    byte[] messages = new byte[5 * length];
    new SplittableRandom(length).nextBytes(messages);
    assertThat(run(messages, length, 5, length)).isEqualTo(expected(messages, length, 5));
  }

  @Test
  void hashesThousandMessages() throws NoSuchAlgorithmException {
    byte[] messages = new byte[64 * 1000];
    new SplittableRandom(1).nextBytes(messages);
    assertThat(run(messages, 64, 1000, 1)).isEqualTo(expected(messages, 64, 1000));
  }
}
