package io.tallystick.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tallystick.gpu.KernelRunner.Launch;
import io.tallystick.gpu.ptx.KernelFaultException;
import io.tallystick.model.Digest;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the PTX that is committed computes what the CPU does, and does nothing that is undefined
/// on a device. Method: the contract in the interpreter. That it would find mistakes is shown by
/// its own tests, on kernels with planted ones.
@Tag("interpreted")
class InterpretedKernelsTest extends HashKernelsContract {
  private static final String BARRIER = "bar.sync \t0;";
  private static final int ORDERS = 6;
  private static final InterpretedKernels KERNELS = new InterpretedKernels(KernelImage.ptx());

  @Override
  KernelRunner runner() {
    return KERNELS;
  }

  /// The kernel is told of one message more than there is memory for.
  @Test
  void refusesWhatLiesBeyondTheMessages() {
    assertThatExceptionOfType(KernelFaultException.class)
        .isThrownBy(() -> KERNELS.sha256Strided(new Launch(32, 1), new byte[3 * 64], 64, 4))
        .withMessageContaining("OUT_OF_BOUNDS: sha256_strided, block 0, thread 3");
  }

  /// The kernel has a barrier after it wrote shared memory, and one after it read it.
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void findsAMissingBarrier(int barrier) {
    String ptx = KernelImage.ptx();
    int at = ptx.indexOf(BARRIER);
    for (int i = 0; i < barrier; i++) {
      at = ptx.indexOf(BARRIER, at + 1);
    }
    InterpretedKernels mistaken =
        new InterpretedKernels(ptx.substring(0, at) + ptx.substring(at + BARRIER.length()));
    byte[] leaves = new byte[128 * Digest.BYTES];
    new SplittableRandom(3).nextBytes(leaves);
    int wrong = 0;
    for (int seed = 0; seed < ORDERS; seed++) {
      Launch launch = new Launch(64, seed);
      byte[] nodes = mistaken.subtrees(launch, leaves, 7);
      if (!Arrays.equals(nodes, KERNELS.subtrees(launch, leaves, 7))) {
        wrong++;
      }
    }
    assertThat(wrong).isGreaterThan(ORDERS / 2);
  }
}
