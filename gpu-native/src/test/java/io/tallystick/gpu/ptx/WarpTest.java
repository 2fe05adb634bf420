package io.tallystick.gpu.ptx;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.function.IntBinaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: instructions of a whole warp give each lane what PTX ISA section 9.7.9 says, in every
/// order of threads. Method: small kernels under several seeds.
@Tag("interpreted")
class WarpTest {
  private static final String STORE =
      "mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd0, %rd1; st.global.u32 [%rd1], %r9;";

  private static void check(String body, int threads, int[] want) {
    PtxModule module = Programs.kernel(body + STORE);
    for (int seed = 0; seed < 10; seed++) {
      assertThat(Programs.run(module, threads, threads, seed)).as("seed %d", seed).isEqualTo(want);
    }
  }

  /// Lane i holds 100 + i. The expected lane is one of the segment of 8 or 32.
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          idx; 5; 31; 32
          up; 1; 0; 32
          down; 3; 31; 32
          bfly; 6; 31; 32
          idx; 5; 0x181f; 8
          up; 2; 0x1800; 8
          down; 2; 0x181f; 8
          bfly; 1; 0x181f; 8
          """)
  void shuffles(String mode, int operand, String clamp, int segment) {
    IntBinaryOperator lane =
        (own, first) ->
            switch (mode) {
              case "idx" -> first + operand;
              case "up" -> own - operand < first ? own : own - operand;
              case "down" -> own + operand >= first + segment ? own : own + operand;
              default -> own ^ operand;
            };
    int[] want =
        IntStream.range(0, 32)
            .map(own -> 100 + lane.applyAsInt(own, own / segment * segment))
            .toArray();
    check(
        String.format(
            Locale.ROOT,
            "add.s32 %%r1, %%r0, 100; shfl.sync.%s.b32 %%r9, %%r1, %d, %s, -1;",
            mode,
            operand,
            clamp),
        32,
        want);
  }

  @Test
  void shuffleSaysWhetherTheLaneIsInRange() {
    check(
        "shfl.sync.up.b32 %r1|%p1, %r0, 1, 0, 7; selp.b32 %r9, %r1, 77, %p1;",
        3, new int[] {77, 0, 1});
  }

  @Test
  void votes() {
    String odd = "and.b32 %r1, %r0, 1; setp.eq.b32 %p1, %r1, 1; ";
    check(odd + "vote.sync.ballot.b32 %r9, %p1, 7;", 3, new int[] {2, 2, 2});
    check(odd + "vote.sync.ballot.b32 %r9, !%p1, 7;", 3, new int[] {5, 5, 5});
    String toWord = " selp.b32 %r9, 1, 0, %p2;";
    check(odd + "vote.sync.any.pred %p2, %p1, 7;" + toWord, 3, new int[] {1, 1, 1});
    check(odd + "vote.sync.all.pred %p2, %p1, 7;" + toWord, 3, new int[] {0, 0, 0});
    check(odd + "vote.sync.uni.pred %p2, %p1, 7;" + toWord, 3, new int[] {0, 0, 0});
    check(odd + "vote.sync.uni.pred %p2, %p1, 1;" + toWord, 1, new int[] {1});
  }

  @Test
  void barriersCountPredicates() {
    String big = "setp.gt.u32 %p1, %r0, 29; ";
    String toWord = " selp.b32 %r9, 1, 0, %p2;";
    check(big + "bar.red.popc.u32 %r9, 0, %p1;", 40, filled(10));
    check(big + "bar.red.popc.u32 %r9, 0, !%p1;", 40, filled(30));
    check(big + "bar.red.or.pred %p2, 0, %p1;" + toWord, 40, filled(1));
    check(big + "bar.red.and.pred %p2, 0, %p1;" + toWord, 40, filled(0));
    check("setp.gt.u32 %p1, 1, 0; bar.red.and.pred %p2, 0, %p1;" + toWord, 40, filled(1));
  }

  private static int[] filled(int value) {
    return IntStream.generate(() -> value).limit(40).toArray();
  }

  @Test
  void matches() {
    String half = "shr.u32 %r1, %r0, 1; ";
    check(half + "match.any.sync.b32 %r9, %r1, 15;", 4, new int[] {3, 3, 12, 12});
    check(half + "match.all.sync.b32 %r9|%p1, %r1, 15;", 4, new int[] {0, 0, 0, 0});
    check(
        half + "match.all.sync.b32 %r9|%p1, 5, 15; selp.b32 %r9, %r9, 0, %p1;",
        4,
        new int[] {15, 15, 15, 15});
  }

  /// The mask differs with the order of threads; it always holds the thread's own lane, and the
  /// lanes that it names got the same mask.
  @Test
  void activeMaskNamesLanesThatStandTogether() {
    PtxModule module = Programs.kernel("activemask.b32 %r9; bar.warp.sync %r9;" + STORE);
    int[] sizes = new int[33];
    for (int seed = 0; seed < 20; seed++) {
      int[] masks = Programs.run(module, 32, 32, seed);
      for (int lane = 0; lane < 32; lane++) {
        assertThat(masks[lane] >>> lane & 1).isEqualTo(1);
        assertThat(masks[Integer.numberOfTrailingZeros(masks[lane])]).isEqualTo(masks[lane]);
        sizes[Integer.bitCount(masks[lane])]++;
      }
    }
    assertThat(IntStream.rangeClosed(2, 32).map(size -> sizes[size]).sum()).isPositive();
  }

  @Test
  void activeMaskLeavesOutLanesWhoseGuardIsOff() {
    PtxModule module =
        Programs.kernel(
            "mov.b32 %r9, 0; and.b32 %r1, %r0, 1; setp.eq.b32 %p1, %r1, 1;"
                + " @%p1 activemask.b32 %r9;"
                + STORE);
    for (int seed = 0; seed < 20; seed++) {
      for (int mask : Programs.run(module, 32, 32, seed)) {
        assertThat(mask & 0x55555555).isZero();
      }
    }
  }
}
