package io.tallystick.gpu.ptx;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Goal: kernels whose threads exchange values give the right result in every order of threads, and
/// the same kernels with a planted bug do not. Method: `exchange.cu`, compiled as it is and once
/// for each bug, under many seeds.
@Tag("interpreted")
class ExchangeKernelsTest {
  private static final int SEEDS = 20;

  private static int[] values(int count) {
    return new SplittableRandom(7).ints(count, 0, 1000).toArray();
  }

  private static boolean sumsAreRight(PtxModule module, long seed) {
    int[] values = values(256);
    int[] sums = new int[4];
    Interpreter device = new Interpreter(module);
    Arguments arguments =
        new Arguments()
            .u64(device.map(MemorySegment.ofArray(values)))
            .u64(device.map(MemorySegment.ofArray(sums)));
    device.launch(Launch.of("block_sum", 4, 64, arguments).withSeed(seed));
    for (int block = 0; block < 4; block++) {
      if (sums[block] != IntStream.range(64 * block, 64 * block + 64).map(i -> values[i]).sum()) {
        return false;
      }
    }
    return true;
  }

  private static long lockedTotal(PtxModule module, long seed) {
    int[] lock = new int[1];
    long[] total = new long[1];
    Interpreter device = new Interpreter(module);
    Arguments arguments =
        new Arguments()
            .u64(device.map(MemorySegment.ofArray(lock)))
            .u64(device.map(MemorySegment.ofArray(total)));
    device.launch(Launch.of("locked_add", 2, 50, arguments).withSeed(seed));
    return total[0];
  }

  private static int[] scan(PtxModule module, int count, long seed) {
    int[] sums = new int[64];
    Interpreter device = new Interpreter(module);
    Arguments arguments =
        new Arguments()
            .u64(device.map(MemorySegment.ofArray(values(64))))
            .u64(device.map(MemorySegment.ofArray(sums)))
            .u64(device.map(MemorySegment.ofArray(new int[2])))
            .u32(count);
    device.launch(Launch.of("warp_scan", 1, 64, arguments).withSeed(seed));
    return sums;
  }

  @Test
  void barriersOrderSharedMemory() {
    PtxModule module = Programs.compiled("exchange");
    for (int seed = 0; seed < SEEDS; seed++) {
      assertThat(sumsAreRight(module, seed)).as("seed %d", seed).isTrue();
    }
  }

  @Test
  void aMissingBarrierShows() {
    PtxModule module = Programs.compiled("exchange_missing_barrier");
    List<Integer> wrong = new ArrayList<>();
    for (int seed = 0; seed < SEEDS; seed++) {
      if (!sumsAreRight(module, seed)) {
        wrong.add(seed);
      }
    }
    assertThat(wrong).hasSizeGreaterThan(SEEDS / 2);
  }

  @Test
  void aLockOrdersUpdates() {
    PtxModule module = Programs.compiled("exchange");
    for (int seed = 0; seed < SEEDS; seed++) {
      assertThat(lockedTotal(module, seed)).as("seed %d", seed).isEqualTo(2 * 50 * 51 / 2);
    }
  }

  @Test
  void anUnlockedUpdateShows() {
    PtxModule module = Programs.compiled("exchange_unlocked_update");
    List<Long> totals = new ArrayList<>();
    for (int seed = 0; seed < SEEDS; seed++) {
      totals.add(lockedTotal(module, seed));
    }
    assertThat(totals.stream().filter(total -> total < 2 * 50 * 51 / 2).count())
        .isGreaterThan(SEEDS / 2);
  }

  @Test
  void scansWithinWarps() {
    int[] want = values(64);
    for (int i = 0; i < 64; i++) {
      want[i] = i >= 50 ? 0 : want[i] + (i % 32 == 0 ? 0 : want[i - 1]);
    }
    PtxModule module = Programs.compiled("exchange");
    for (int seed = 0; seed < SEEDS; seed++) {
      assertThat(scan(module, 50, seed)).as("seed %d", seed).isEqualTo(want);
    }
  }

  @Test
  void aMaskThatNamesExitedLanesIsRefused() {
    PtxModule module = Programs.compiled("exchange_wrong_mask");
    for (int seed = 0; seed < SEEDS; seed++) {
      long order = seed;
      RefusalTest.assertFault(() -> scan(module, 50, order), Fault.WRONG_MASK, "warp_scan");
    }
  }

  @Test
  void callsThemselves() {
    long[] numbers = new long[15];
    long[] calls = new long[15];
    Interpreter device = new Interpreter(Programs.compiled("exchange"));
    Arguments arguments =
        new Arguments()
            .u64(device.map(MemorySegment.ofArray(numbers)))
            .u64(device.map(MemorySegment.ofArray(calls)));
    device.launch(Launch.of("fibonacci_numbers", 1, 15, arguments));
    assertThat(numbers).startsWith(0, 1, 1, 2, 3, 5, 8).endsWith(377);
    assertThat(calls).startsWith(1, 1, 3, 5, 9, 15, 25);
  }

  @Test
  void theSameSeedGivesTheSameRun() {
    PtxModule module = Programs.compiled("exchange_unlocked_update");
    assertThat(lockedTotal(module, 5)).isEqualTo(lockedTotal(module, 5));
  }
}
