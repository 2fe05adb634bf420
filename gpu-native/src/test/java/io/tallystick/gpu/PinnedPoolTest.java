package io.tallystick.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: no byte is lent twice, and all of it can be lent again once all is back. Method: random
/// pieces, each filled with a mark of its own.
class PinnedPoolTest {
  private static final int BLOCK_BYTES = 1 << 16;

  @Test
  void lendsNoByteTwiceAndJoinsWhatIsBack() {
    SplittableRandom random = new SplittableRandom(1);
    try (Arena arena = Arena.ofConfined()) {
      PinnedPool pool = new PinnedPool(arena.allocate(BLOCK_BYTES));
      List<MemorySegment> lent = new ArrayList<>();
      int refused = 0;
      for (int step = 0; step < 2000; step++) {
        if (lent.isEmpty() || random.nextInt(5) < 3) {
          int bytes = random.nextInt(BLOCK_BYTES / 8);
          Optional<MemorySegment> piece = pool.lend(bytes);
          piece.ifPresent(memory -> lent.add(mark(memory)));
          refused += piece.isEmpty() ? 1 : 0;
        } else {
          MemorySegment back = lent.remove(random.nextInt(lent.size()));
          assertThat(isMarked(back)).isTrue();
          pool.takeBack(back);
        }
      }
      assertThat(refused).isPositive();
      lent.forEach(pool::takeBack);
      assertThat(pool.lend(BLOCK_BYTES)).isPresent();
      assertThat(pool.lend(0)).isEmpty();
    }
  }

  private static MemorySegment mark(MemorySegment memory) {
    return memory.fill((byte) (memory.address() >> 8));
  }

  private static boolean isMarked(MemorySegment memory) {
    byte mark = (byte) (memory.address() >> 8);
    return memory
        .elements(ValueLayout.JAVA_BYTE)
        .allMatch(element -> element.get(ValueLayout.JAVA_BYTE, 0) == mark);
  }

  @Test
  void knowsWhatIsIts() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment all = arena.allocate(3 * 256, 256);
      PinnedPool pool = new PinnedPool(all.asSlice(256, 256));
      assertThat(pool.holds(all.asSlice(256, 256))).isTrue();
      assertThat(pool.holds(all.asSlice(300, 10))).isTrue();
      assertThat(pool.holds(all.asSlice(300, 256))).isFalse();
      assertThat(pool.holds(all.asSlice(0, 256))).isFalse();
      assertThat(pool.holds(MemorySegment.ofArray(new byte[1]))).isFalse();
      assertThatThrownBy(() -> pool.takeBack(all.asSlice(256)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
