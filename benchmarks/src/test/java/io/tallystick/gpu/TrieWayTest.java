package io.tallystick.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.bench.gpu.trie.DeviceTrieBatch;
import io.tallystick.bench.gpu.trie.TrieLimits;
import io.tallystick.bench.gpu.trie.TrieWay;
import io.tallystick.gpu.DeviceTrieContract.Keys;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: the way is the one that the keys call for.
class TrieWayTest {
  private static TrieWay way(Keys kind, int count) {
    SplittableRandom random = new SplittableRandom(count);
    DeviceTrieBatch batch = new DeviceTrieBatch(new TrieLimits(1000, 1000, 40));
    for (int i = 0; i < count; i++) {
      batch.put(kind.key(random), new byte[40]);
    }
    return TrieWay.of(batch);
  }

  @Test
  void locksForKeysThatAreSpread() {
    for (int count : new int[] {2, 10, 100, 1000}) {
      assertThat(way(Keys.UNIFORM, count)).as("%d keys", count).isEqualTo(TrieWay.LOCK_NU);
    }
  }

  @Test
  void locksNotForKeysThatAreAlike() {
    for (int count : new int[] {2, 10, 100, 1000}) {
      assertThat(way(Keys.CLUSTERED, count)).as("%d keys", count).isEqualTo(TrieWay.PHASE_NU);
      assertThat(way(Keys.DENSE, count)).as("%d keys", count).isEqualTo(TrieWay.PHASE_NU);
    }
  }

  @Test
  void oneKeyMeetsNobody() {
    assertThat(way(Keys.CLUSTERED, 1)).isEqualTo(TrieWay.LOCK_NU);
  }
}
