package io.tallystick.storage.accumulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Digest;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/// Every proof of a published size verifies while the owner appends, saves and moves levels to
/// files.
class ConcurrentProofTest {
  private static final int LEAVES = 3000;
  private static final int READERS = 3;
  private static final int LIVES = 20;

  private final ReferenceTree tree = ReferenceTree.ofSize(LEAVES);
  private final List<Digest> leaves = tree.leafHashes(0, LEAVES);
  private final List<JournalRoot> roots = new ArrayList<>();

  @Test
  void readersProveEveryPublishedSize() throws Exception {
    for (int size = 0; size <= LEAVES; size++) {
      roots.add(new JournalRoot(tree.root(size)));
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(READERS)) {
      for (int life = 0; life < LIVES; life++) {
        live(threads, life);
      }
    }
  }

  private void live(ExecutorService threads, int seed) throws Exception {
    try (Shard shard = Shard.open(new InMemoryDisk(), new InMemoryMetaStore(), Shard.SMALL)) {
      AtomicBoolean done = new AtomicBoolean();
      List<Future<Integer>> readers = new ArrayList<>();
      for (int i = 0; i < READERS; i++) {
        SplittableRandom random = new SplittableRandom(100L * seed + i);
        readers.add(threads.submit(reader(shard.accumulator(), done, random)));
      }
      try {
        grow(shard, new SplittableRandom(seed));
      } finally {
        done.set(true);
      }
      for (Future<Integer> reader : readers) {
        assertThat(reader.get()).isPositive();
      }
    }
  }

  private void grow(Shard shard, SplittableRandom random) throws Exception {
    int size = 0;
    while (size < LEAVES) {
      int more = Math.min(LEAVES - size, random.nextInt(1, 30));
      shard.append(leaves.subList(size, size + more));
      size += more;
      if (random.nextInt(5) == 0) {
        shard.savepoint();
      }
    }
  }

  private Callable<Integer> reader(
      Accumulator accumulator, AtomicBoolean done, SplittableRandom random) {
    return () -> {
      int proofs = 0;
      boolean last;
      do {
        last = done.get();
        int newest = (int) accumulator.size();
        if (newest > 0) {
          int size = random.nextBoolean() ? newest : random.nextInt(1, newest + 1);
          int jsn = random.nextInt(size);
          accumulator.inclusion(jsn, size).verify(leaves.get(jsn), roots.get(size));
          int from = random.nextInt(1, size + 1);
          accumulator.consistency(from, size).verify(roots.get(from), roots.get(size));
          proofs++;
        }
      } while (!last);
      return proofs;
    };
  }
}
