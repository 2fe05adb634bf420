package io.tallystick.storage.forest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.testkit.Effort;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Readers see one version, whole, while the owner goes on: blocks, savepoints that use slots
/// again, partitions that are closed, moved to files, folded and deleted. Every block writes all
/// keys with its height as their size, so a page of another version shows; it deletes others, so
/// that partitions fill.
final class ForestReadersTest {
  private static final StateParams PARAMS = StateParams.of(150, 4, 4);
  private static final int KEYS = 100;
  private static final int BLOCKS = Effort.of(120, 1000);

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Workers workers = new Workers(2, "readers");
  private final ExecutorService readers = Executors.newFixedThreadPool(3);
  private final AtomicBoolean done = new AtomicBoolean();
  private final AtomicLong reads = new AtomicLong();

  @AfterEach
  void endThreads() {
    done.set(true);
    readers.shutdownNow();
    workers.close();
  }

  @Test
  void readersSeeOneVersionWhole() throws Exception {
    ForestLimits limits = new ForestLimits(0, 100_000, 5, 1 << 20, 6, Forests.SAVED);
    try (Forests forests = Forests.open(disk, meta, workers, limits)) {
      StateForest forest = forests.forest(PARAMS);
      forest.apply(1, block(1));
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        running.add(
            readers.submit(() -> {
              readOn(forest);
              return null;
            }));
      }
      for (int height = 2; height <= BLOCKS; height++) {
        forest.apply(height, block(height));
        if (height % 2 == 0) {
          forests.savepoint(forest);
        }
      }
      while (reads.get() < 20) {
        Thread.onSpinWait();
        assertThat(running).noneMatch(Future::isDone);
      }
      done.set(true);
      for (Future<?> reader : running) {
        reader.get();
      }
      assertThat(forest.version().partitions().getFirst().number()).isPositive();
    }
  }

  private static List<HeldEntry> block(int height) {
    List<HeldEntry> entries = new ArrayList<>();
    for (HeldEntry put : Forests.puts(0, KEYS, 12, 1000L * height)) {
      entries.add(
          Forests.held(
              StateEntry.put(
                  put.key(), put.entry().valueCommit().orElseThrow(), height, put.entry().jsn())));
    }
    for (int i = 0; i < KEYS / 4; i++) { // so that partitions fill up
      Bytes key = Forests.key(1_000_000L + 100L * height + i, 12);
      entries.add(Forests.held(StateEntry.tombstone(key, new Jsn(1000L * height))));
    }
    return entries;
  }

  private void readOn(StateForest forest) throws Exception {
    while (!done.get()) {
      ForestVersion version = forest.version();
      Optional<ForestReader> opened = version.open();
      if (opened.isEmpty()) {
        continue; // it is an older one by now
      }
      try (ForestReader reader = opened.get()) {
        List<HeldEntry> entries =
            reader.page(Bytes.EMPTY, null, 2 * KEYS, Long.MAX_VALUE).entries();
        assertThat(entries)
            .hasSize(KEYS)
            .allMatch(held -> held.entry().valueSizeBytes() == version.height());
        Bytes key = entries.get((int) (reads.get() % KEYS)).key();
        reader.lookup(key).verify(key, version.root(), version.height());
      }
      reads.incrementAndGet();
    }
  }
}
