package io.tallystick.storage.clue;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.Digest;
import io.tallystick.testkit.Seeded;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/// A table finds what was added and not removed, whatever was swept in between, and sweeps only
/// what it may.
class HeadTableTest {
  private final ClueMemory memory = new ClueMemory(Long.MAX_VALUE);
  private final HeadTable table = new HeadTable(memory);
  private final Set<Digest> pinned = new HashSet<>();
  private final Set<Digest> free = new HashSet<>();

  @Seeded(runs = 5)
  void findsWhatIsThere(SplittableRandom random) {
    for (int round = 0; round < 400; round++) {
      for (int i = random.nextInt(20); i > 0; i--) {
        add(random);
      }
      long bytes = 0;
      long removals = table.removals();
      bytes += table.sweep(random.nextInt(200), random.nextInt(3000));
      assertGone(table.removals() - removals, bytes);
    }
    assertThat(free).isNotEmpty();
    assertThat(table.removals()).isGreaterThan(100);
  }

  private void add(SplittableRandom random) {
    byte[] bytes = new byte[Digest.BYTES];
    random.nextBytes(bytes);
    Digest clueId = Digest.of(bytes);
    int share = 1 + random.nextInt(2);
    byte[] head = HeadBytes.create(share, clueId, 1 + random.nextInt(100));
    boolean pin = random.nextInt(4) == 0;
    if (pin) {
      HeadBytes.set(head, HeadBytes.DIRTY);
    }
    HeadBytes.used(head, random.nextBoolean());
    table.add(head, memory.place(share, clueId));
    (pin ? pinned : free).add(clueId);
  }

  private void assertGone(long removed, long bytes) {
    int gone = 0;
    for (Digest clueId : List.copyOf(free)) {
      if (find(clueId) == HeadTable.NONE) {
        free.remove(clueId);
        gone++;
      }
    }
    assertThat(removed).isEqualTo(gone);
    assertThat(bytes > 0).isEqualTo(gone > 0);
    assertThat(pinned).allSatisfy(clueId -> assertThat(find(clueId)).isNotEqualTo(HeadTable.NONE));
  }

  private int find(Digest clueId) {
    int first = table.find(1, clueId, memory.place(1, clueId));
    return first != HeadTable.NONE ? first : table.find(2, clueId, memory.place(2, clueId));
  }
}
