package io.tallystick.storage.array;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/// Readers see every published row while one owner appends, saves, and moves the array from the
/// meta store to a file.
class ConcurrentReadTest {
  private static final int ROW_BYTES = 32;
  private static final int READERS = 3;
  private static final int ROWS = 3000;

  /// Many short lives rather than one long, so that every reader meets a promotion often.
  @Test
  void readersSeeEveryPublishedRow() throws Exception {
    byte[] rows = Rows.of(0, 0, ROWS, ROW_BYTES);
    try (ExecutorService threads = Executors.newFixedThreadPool(READERS)) {
      for (int life = 0; life < 40; life++) {
        live(rows, threads, life);
      }
    }
  }

  /// The array moves to its file, and its meta rows go, between a reader's choice of the meta rows
  /// and its reading of one.
  @Test
  void aReaderSurvivesThatTheRowsMoveUnderIt() throws Exception {
    HookedMetaStore meta = new HookedMetaStore();
    ArrayLimits limits = new ArrayLimits(1000L * ROW_BYTES, 100 * ROW_BYTES, 1);
    ArrayStore store = new ArrayStore(new InMemoryDisk(), meta, limits);
    try (AppendArray array = store.open(Rows.ID, ROW_BYTES)) {
      array.append(Rows.of(0, 0, 900, ROW_BYTES), 0, 900);
      Rows.savepoint(array, meta);
    }
    AppendArray array = store.open(Rows.ID, ROW_BYTES);
    array.append(Rows.of(0, 900, 200, ROW_BYTES), 0, 200);
    meta.beforeNextGet = () -> Rows.savepoint(array, meta);
    assertThat(Rows.read(array, 10, 20, ROW_BYTES)).isEqualTo(Rows.of(0, 10, 20, ROW_BYTES));
    assertThat(meta.beforeNextGet).as("the rows moved").isNull();
  }

  private static void live(byte[] rows, ExecutorService threads, int seed) throws Exception {
    InMemoryMetaStore meta = new InMemoryMetaStore();
    ArrayLimits limits = new ArrayLimits(1000L * ROW_BYTES, 100 * ROW_BYTES, 1);
    ArrayStore store = new ArrayStore(new InMemoryDisk(), meta, limits);
    AppendArray array = store.open(Rows.ID, ROW_BYTES);
    AtomicBoolean done = new AtomicBoolean();
    List<Future<Long>> readers = new ArrayList<>();
    for (int i = 0; i < READERS; i++) {
      readers.add(threads.submit(reader(array, rows, done, new SplittableRandom(i + 100L * seed))));
    }
    try {
      grow(array, meta, rows, new SplittableRandom(seed));
    } finally {
      done.set(true);
    }
    for (Future<Long> reader : readers) {
      assertThat(reader.get()).isPositive();
    }
    store.close();
  }

  private static void grow(
      AppendArray array, InMemoryMetaStore meta, byte[] rows, SplittableRandom random)
      throws Exception {
    int count = 0;
    while (count < ROWS) {
      int more = Math.min(ROWS - count, random.nextInt(1, 40));
      array.append(rows, count * ROW_BYTES, more);
      count += more;
      if (random.nextInt(5) == 0) {
        Rows.savepoint(array, meta);
      }
    }
  }

  private static Callable<Long> reader(
      AppendArray array, byte[] rows, AtomicBoolean done, SplittableRandom random) {
    return () -> {
      long reads = 0;
      byte[] into = new byte[40 * ROW_BYTES];
      while (!done.get() || reads == 0) {
        long count = array.rowCount();
        int length = (int) Math.min(count, random.nextInt(1, 40));
        long first = random.nextLong(count - length + 1);
        array.read(first, length, into, 0);
        for (int i = 0; i < length * ROW_BYTES; i++) {
          if (into[i] != rows[(int) first * ROW_BYTES + i]) {
            throw new AssertionError(
                String.format(Locale.ROOT, "row %d of %d at byte %d", first, count, i));
          }
        }
        reads++;
      }
      return reads;
    };
  }
}
