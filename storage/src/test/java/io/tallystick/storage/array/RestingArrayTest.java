package io.tallystick.storage.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fault.InMemoryDisk;
import org.junit.jupiter.api.Test;

/// Goal: an array that is put to rest and opened again is the same for its owner and its readers.
/// Method: the moves that a reader can meet, made between two of its steps.
class RestingArrayTest {
  private static final int ROW_BYTES = 32;
  private static final ArrayLimits LIMITS = new ArrayLimits(1000L * ROW_BYTES, 100 * ROW_BYTES, 1);

  private final HookedMetaStore meta = new HookedMetaStore();
  private final ArrayStore store = new ArrayStore(new InMemoryDisk(), meta, LIMITS);

  private void append(RestingArray array, int first, int count) throws Exception {
    array.append(Rows.of(0, first, count, ROW_BYTES), 0, count);
  }

  private void save(RestingArray array) throws Exception {
    MetaBatch batch = new MetaBatch();
    array.savepoint(batch);
    meta.write(batch);
  }

  private RestingArray atRest(int rows) throws Exception {
    RestingArray array = new RestingArray(store, Rows.ID, ROW_BYTES, 0);
    append(array, 0, rows);
    save(array);
    array.rest();
    return array;
  }

  private static byte[] read(RestingArray array, int first, int count) throws Exception {
    byte[] into = new byte[count * ROW_BYTES];
    array.read(first, count, into, 0);
    return into;
  }

  @Test
  void growsOverRests() throws Exception {
    RestingArray array = new RestingArray(store, Rows.ID, ROW_BYTES, 0);
    for (int first = 0; first < 2000; first += 50) {
      append(array, first, 50);
      save(array);
      array.rest();
      assertThat(array.rowCount()).isEqualTo(first + 50);
      assertThat(read(array, 0, first + 50)).isEqualTo(Rows.of(0, 0, first + 50, ROW_BYTES));
    }
  }

  @Test
  void savesNothingAtRest() throws Exception {
    RestingArray array = atRest(5);
    MetaBatch batch = new MetaBatch();
    array.savepoint(batch);
    assertThat(batch.changes()).isEmpty();
  }

  /// Between a reader's choice of the meta rows and its reading of one, the array is put to rest,
  /// opened again, and moves to its file.
  @Test
  void aReaderSurvivesThatTheRowsMoveWhileItHasTheArrayOfBefore() throws Exception {
    RestingArray array = atRest(900);
    assertThat(array.rowCount()).as("opened, its first rows not in memory").isEqualTo(900);
    meta.beforeNextGet =
        () -> {
          array.rest();
          append(array, 900, 200);
          save(array);
          return array;
        };
    assertThat(read(array, 10, 20)).isEqualTo(Rows.of(0, 10, 20, ROW_BYTES));
    assertThat(meta.beforeNextGet).as("the rows moved").isNull();
    assertThat(read(array, 1000, 100)).isEqualTo(Rows.of(0, 1000, 100, ROW_BYTES));
  }

  @Test
  void refusesAnotherNumberOfRowsAndLeavesNothingOpen() throws Exception {
    atRest(5);
    RestingArray expectsMore = new RestingArray(store, Rows.ID, ROW_BYTES, 6);
    assertThatThrownBy(() -> read(expectsMore, 0, 1))
        .isInstanceOf(CorruptStreamException.class)
        .hasMessageContaining("5 rows, want 6");
    try (AppendArray open = store.open(Rows.ID, ROW_BYTES)) {
      assertThat(open.rowCount()).isEqualTo(5);
    }
  }
}
