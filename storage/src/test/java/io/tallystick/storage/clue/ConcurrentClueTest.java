package io.tallystick.storage.clue;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import io.tallystick.storage.clue.ClueModel.Appended;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/// Every clue is read as it was at every count it has had, while the owner and its workers append
/// and save, the cells move to a file, and heads come and go: no count is ever seen to fall, and no
/// entry before its cell.
class ConcurrentClueTest {
  private static final int READERS = 3;
  private static final int WORKERS = 3;
  private static final int BATCH_MAX = 300;
  private static final int LIVES = 12;
  private static final int CLUES = 12;
  private static final int OF_ONE_CLUE = 100_000;

  private final ClueModel model = ClueModel.random(3000, CLUES, new SplittableRandom(5));
  private final Map<Digest, List<JournalRoot>> roots = new HashMap<>();

  ConcurrentClueTest() {
    model
        .lists()
        .forEach((clueId, list) -> {
          List<JournalRoot> ofClue = new ArrayList<>();
          for (int size = 0; size <= list.size(); size++) {
            ofClue.add(new JournalRoot(ClueModel.tree(list.subList(0, size)).root(size)));
          }
          roots.put(clueId, ofClue);
        });
  }

  @Test
  void readersSeeEveryCountAsItWas() throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(READERS)) {
      for (int life = 0; life < LIVES; life++) {
        live(threads, life, life % 2 == 0 ? 0 : 1500);
      }
    }
  }

  /// Of a head that is changed by another thread all the time, count and newest journal belong
  /// together: the n-th entry here is journal 2 n.
  @Test
  void aHeadIsSeenAsOfOneMoment() throws Exception {
    Digest clueId = ClueModel.clueId(0);
    try (ExecutorService threads = Executors.newFixedThreadPool(READERS);
        Shard shard = Shard.open(new InMemoryDisk(), new InMemoryMetaStore())) {
      AtomicBoolean done = new AtomicBoolean();
      List<Future<Long>> readers = new ArrayList<>();
      for (int i = 0; i < READERS; i++) {
        readers.add(threads.submit(() -> lastCount(shard.index(), clueId, done)));
      }
      try {
        List<Appended> batch = new ArrayList<>();
        for (long entry = 1; entry <= OF_ONE_CLUE; entry++) {
          batch.add(new Appended(clueId, 2 * entry, Digest.ZERO, false));
          if (batch.size() == BATCH_MAX || entry == OF_ONE_CLUE) {
            shard.appendTogether(batch);
            batch.clear();
          }
        }
      } finally {
        done.set(true);
      }
      for (Future<Long> reader : readers) {
        assertThat(reader.get()).isEqualTo(OF_ONE_CLUE);
      }
    }
  }

  private static long lastCount(ClueIndex index, Digest clueId, AtomicBoolean done)
      throws Exception {
    long count = 0;
    boolean last;
    do {
      last = done.get();
      Optional<ClueHead> head = index.head(clueId);
      if (head.isPresent()) {
        assertThat(head.get().lastJsn()).isEqualTo(2 * head.get().count());
        count = head.get().count();
      }
    } while (!last);
    return count;
  }

  private void live(ExecutorService threads, int seed, long memoryBytes) throws Exception {
    ClueMemory memory = new ClueMemory(memoryBytes);
    try (Shard shard = Shard.open(new InMemoryDisk(), new InMemoryMetaStore(), memory, WORKERS)) {
      AtomicBoolean done = new AtomicBoolean();
      List<Future<Integer>> readers = new ArrayList<>();
      for (int i = 0; i < READERS; i++) {
        SplittableRandom random = new SplittableRandom(100L * seed + i);
        readers.add(threads.submit(reader(shard.index(), done, random)));
      }
      try {
        grow(shard, new SplittableRandom(seed));
      } finally {
        done.set(true);
      }
      for (Future<Integer> reader : readers) {
        assertThat(reader.get()).isPositive();
      }
      ClueChecks.assertIs(shard.index(), model, new SplittableRandom(seed));
    }
  }

  private void grow(Shard shard, SplittableRandom random) throws Exception {
    int done = 0;
    while (done < model.log().size()) {
      int end = Math.min(model.log().size(), done + random.nextInt(1, BATCH_MAX));
      shard.appendTogether(model.log().subList(done, end));
      done = end;
      if (random.nextInt(3) == 0) {
        shard.savepoint();
        if (random.nextBoolean()) {
          shard.index().saved();
        }
      }
    }
  }

  private Callable<Integer> reader(ClueIndex index, AtomicBoolean done, SplittableRandom random) {
    return () -> {
      Map<Digest, Long> counts = new HashMap<>();
      int reads = 0;
      boolean last;
      do {
        last = done.get();
        Digest clueId = ClueModel.clueId(random.nextInt(CLUES));
        Optional<ClueHead> head = index.head(clueId);
        long count = head.map(ClueHead::count).orElse(0L);
        assertThat(count).isGreaterThanOrEqualTo(counts.getOrDefault(clueId, 0L));
        counts.put(clueId, count);
        if (count > 0) {
          int size = random.nextInt(3) == 0 ? (int) count : random.nextInt(1, (int) count + 1);
          read(index, clueId, size, random);
          reads++;
        }
      } while (!last || reads == 0);
      return reads;
    };
  }

  private void read(ClueIndex index, Digest clueId, int size, SplittableRandom random)
      throws Exception {
    List<Appended> list = model.list(clueId);
    JournalRoot root = roots.getOrDefault(clueId, List.of()).get(size);
    int at = random.nextInt(size);
    assertThat(index.entry(clueId, at)).isEqualTo(ClueModel.entry(list, at));
    assertThat(index.entry(clueId, size - 1)).isEqualTo(ClueModel.entry(list, size - 1));
    assertThat(index.entries(clueId, at, 1)).containsExactly(ClueModel.entry(list, at));
    assertThat(index.latest(clueId, list.get(at).jsn())).contains(ClueModel.entry(list, at));
    Digest leaf = TreeHasher.leafHash(list.get(at).leafHash());
    index.proof(clueId, at, 1, size).verify(List.of(leaf), root);
    assertThat(index.root(clueId, size)).isEqualTo(root.digest());
  }
}
