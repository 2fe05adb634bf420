package io.tallystick.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.gpu.KernelRunner.Launch;
import io.tallystick.model.Digest;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the sources are right and read and write nothing that is not theirs, and this test would
/// find it if not. Method: the contract on the CPU; then each mistake that the sources can have
/// planted, which is found.
class ShimKernelsTest extends HashKernelsContract {
  private static final Launch LAUNCH = new Launch(32, 5);

  private static Shim shim;

  private final SplittableRandom random = new SplittableRandom(5);

  @BeforeAll
  static void compile() throws Exception {
    shim = Shim.compiled();
  }

  @Override
  KernelRunner runner() {
    return shim;
  }

  /// Three bytes of a word are of the message, and the fourth is not padded.
  @Test
  void findsAWrongMask() throws Exception {
    MessageBatch messages = MessageBatch.of(random, List.of(0, 1, 2, 3));
    byte[] right = shim.sha256(LAUNCH, messages, Kernel.NO_PREFIX);
    byte[] wrong = shim.withMistake("WRONG_MASK").sha256(LAUNCH, messages, Kernel.NO_PREFIX);
    assertThat(wrong).startsWith(first(right, 3)).isNotEqualTo(right);
  }

  /// A message of 56 bytes needs a second block for its length.
  @Test
  void findsABlockTooFew() throws Exception {
    MessageBatch messages = MessageBatch.of(random, List.of(55, 57, 56));
    byte[] right = shim.sha256(LAUNCH, messages, Kernel.NO_PREFIX);
    byte[] wrong = shim.withMistake("ONE_BLOCK_LESS").sha256(LAUNCH, messages, Kernel.NO_PREFIX);
    assertThat(wrong).startsWith(first(right, 2)).isNotEqualTo(right);
  }

  @Test
  void findsAThreadTooMany() {
    MessageBatch messages = MessageBatch.of(random, List.of(7, 8, 9));
    assertThatThrownBy(() -> shim.withMistake("ONE_THREAD_MORE").keccak256(LAUNCH, messages))
        .hasMessageContaining("heap-buffer-overflow");
  }

  /// Found at the word that two threads use, whichever comes first.
  @ParameterizedTest
  @ValueSource(strings = {"NO_BARRIER_AFTER_WRITE", "NO_BARRIER_AFTER_READ"})
  void findsAMissingBarrier(String mistake) {
    for (int seed = 0; seed < 3; seed++) {
      Launch launch = new Launch(32, seed);
      assertThatThrownBy(() -> shim.withMistake(mistake).subtrees(launch, leaves(), 3))
          .hasMessageContaining("shared memory");
    }
  }

  @Test
  void findsABarrierForSomeThreadsOnly() {
    byte[] leaves = leaves();
    assertThatThrownBy(() -> shim.withMistake("DIVERGENT_BARRIER").subtrees(LAUNCH, leaves, 3))
        .hasMessageContaining("threads wait at different barriers");
  }

  @Test
  void tellsWhatItCannotRun() {
    assertThatThrownBy(() -> shim.withMistake("NO_SUCH_MISTAKE").subtrees(LAUNCH, leaves(), 1))
        .isInstanceOf(IllegalStateException.class);
  }

  private byte[] leaves() {
    byte[] leaves = new byte[64 * Digest.BYTES];
    random.nextBytes(leaves);
    return leaves;
  }

  private static byte[] first(byte[] digests, int count) {
    return Arrays.copyOf(digests, count * Digest.BYTES);
  }
}
