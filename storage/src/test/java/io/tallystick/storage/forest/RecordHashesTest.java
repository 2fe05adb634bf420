package io.tallystick.storage.forest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.testkit.Seeded;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Goal: a leaf that takes over hashes of the one before has the hash of one that takes over none.
/// Method: leaves of all sizes, which batches of random keys replace again and again, alone and
/// many at once, beside the same leaves read from their images; some hand their hashes over twice,
/// as after an update that failed.
final class RecordHashesTest {
  private static final int LEAF_MAX = 40;
  private static final int ROUNDS = 60;

  private final NodeHashing keeping = new NodeHashing();
  private final NodeHashing plain = new NodeHashing();
  private long jsn;

  @Seeded(runs = 20)
  void aLeafHasTheHashOfOneThatTakesNothingOver(SplittableRandom random) throws Exception {
    List<LeafPage> leaves = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      leaves.addAll(replaced(null, batch(1 + random.nextInt(LEAF_MAX), random)));
    }
    check(leaves);
    for (int round = 0; round < ROUNDS; round++) {
      List<LeafPage> next = new ArrayList<>();
      for (LeafPage leaf : leaves) {
        if (random.nextInt(20) == 0) {
          leaf.handOver();
        }
        next.addAll(replaced(leaf, batch(1 + random.nextInt(1 + random.nextInt(6)), random)));
      }
      check(next);
      leaves = next.size() > 40 ? next.subList(0, 12) : next;
    }
  }

  /// Every entry replaced alone, added before and added behind, in leaves of each size.
  @Seeded(runs = 1)
  void eachPlaceOfEachSize(SplittableRandom random) throws Exception {
    for (int size = 1; size <= LEAF_MAX; size++) {
      for (int place = 0; place <= 2 * size; place++) {
        List<HeldEntry> all = new ArrayList<>();
        for (int i = 0; i < size; i++) {
          all.add(delete(2 * i + 1));
        }
        List<LeafPage> one = replaced(null, EntryBatch.of(all));
        check(one);
        check(replaced(one.getFirst(), EntryBatch.of(List.of(delete(place)))));
      }
    }
  }

  private void check(List<LeafPage> leaves) throws Exception {
    keeping.hash(leaves, 0, leaves.size(), BatchHasher.cpu());
    for (LeafPage leaf : leaves) {
      LeafPage read = LeafPage.of(leaf.image());
      plain.hash(List.of(read), 0, 1, BatchHasher.cpu());
      assertThat(leaf.hash()).as("leaf of %d", leaf.count()).isEqualTo(read.hash());
    }
  }

  private static List<LeafPage> replaced(@Nullable LeafPage leaf, EntryBatch batch) {
    return Pieces.leaves(leaf, batch, 0, batch.size(), LEAF_MAX).pages().stream()
        .map(page -> (LeafPage) page)
        .toList();
  }

  /// Few keys, so that many are replaced.
  private EntryBatch batch(int count, SplittableRandom random) {
    TreeMap<Bytes, HeldEntry> entries = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      HeldEntry held = delete(random.nextInt(200));
      entries.put(held.key(), held);
    }
    return EntryBatch.of(List.copyOf(entries.values()));
  }

  private HeldEntry delete(int key) {
    return new HeldEntry(
        StateEntry.tombstone(Bytes.wrap(new byte[] {(byte) key, 1}), new Jsn(++jsn)), null);
  }
}
