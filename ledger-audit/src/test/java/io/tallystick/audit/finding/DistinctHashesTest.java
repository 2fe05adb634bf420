package io.tallystick.audit.finding;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: a repeated value is always found, and values made to collide cost bounded work. Method:
/// random values, one of them twice; many with the same first bytes.
class DistinctHashesTest {
  private static final int COUNT = 10_000;

  @Test
  void findsTheOneValueThatStandsTwice() {
    byte[] values = new byte[(COUNT + 1) * 32];
    new SplittableRandom(3).nextBytes(values);
    DistinctHashes seen = new DistinctHashes();
    seen.reset(COUNT + 1);
    for (int i = 0; i < COUNT; i++) {
      assertThat(seen.add(values, i * 32)).isTrue();
    }
    System.arraycopy(values, 77 * 32, values, COUNT * 32, 32);
    assertThat(seen.add(values, COUNT * 32)).isFalse();
  }

  @Test
  void forgetsWhatWasThereBefore() {
    byte[] values = new byte[32];
    DistinctHashes seen = new DistinctHashes();
    seen.reset(1);
    assertThat(seen.add(values, 0)).isTrue();
    seen.reset(1);
    assertThat(seen.add(values, 0)).isTrue();
  }

  @Test
  void givesUpOnValuesMadeToCollide() {
    byte[] values = new byte[COUNT * 32];
    DistinctHashes seen = new DistinctHashes();
    seen.reset(COUNT);
    int taken = 0;
    for (int i = 0; i < COUNT; i++) {
      values[i * 32 + 30] = (byte) (i >>> 8);
      values[i * 32 + 31] = (byte) i;
      taken += seen.add(values, i * 32) ? 1 : 0;
    }
    assertThat(taken).as("one for each probe").isEqualTo(64);
  }
}
