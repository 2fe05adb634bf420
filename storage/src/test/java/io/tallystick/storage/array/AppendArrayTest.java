package io.tallystick.storage.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Append-only arrays: what was appended is read, what was saved is found again, small arrays stay
/// small, and damage is named.
class AppendArrayTest {
  private static final String FILE = "index/" + "00".repeat(32) + "-7/rows.arr";
  private static final ArrayLimits SMALL = new ArrayLimits(20_000, 3000, 2);
  private static final int ROW_BYTES = 32;
  private static final int CHUNK_ROWS = 4096 / ROW_BYTES;

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();

  /// Random appends, reads, savepoints and restarts, for rows that fill a chunk and rows that do
  /// not; a restart loses exactly what no savepoint holds.
  @Test
  void isAnArrayForEveryRowSize() throws Exception {
    for (int rowBytes : new int[] {1, 7, 32, 200, 3000, 4096, 5000}) {
      SplittableRandom random = new SplittableRandom(rowBytes);
      for (int run = 0; run < 5; run++) {
        live(rowBytes, random);
      }
    }
  }

  private static void live(int rowBytes, SplittableRandom random) throws Exception {
    InMemoryDisk disk = new InMemoryDisk();
    InMemoryMetaStore meta = new InMemoryMetaStore();
    ArrayStore store = new ArrayStore(disk, meta, SMALL);
    AppendArray array = store.open(Rows.ID, rowBytes);
    long saved = 0;
    for (int step = 0; step < 60; step++) {
      switch (random.nextInt(8)) {
        case 0 -> {
          Rows.savepoint(array, meta);
          saved = array.rowCount();
        }
        case 1 -> {
          array.close();
          store.close();
          store = new ArrayStore(disk, meta, SMALL);
          array = store.open(Rows.ID, rowBytes);
          assertThat(array.rowCount()).isEqualTo(saved);
        }
        default -> {
          int count = random.nextInt(random.nextBoolean() ? 3 : 1 + 20_000 / rowBytes);
          array.append(Rows.of(0, array.rowCount(), count, rowBytes), 0, count);
        }
      }
      assertThat(array.unsavedRowCount()).isEqualTo(array.rowCount() - saved);
      readSome(array, rowBytes, random);
    }
    store.close();
  }

  private static void readSome(AppendArray array, int rowBytes, SplittableRandom random)
      throws Exception {
    long first = random.nextLong(array.rowCount() + 1);
    int count = (int) Math.min(array.rowCount() - first, random.nextInt(1 + 30_000 / rowBytes));
    assertThat(Rows.read(array, first, count, rowBytes))
        .isEqualTo(Rows.of(0, first, count, rowBytes));
  }

  @Test
  void costsOneShortRowWhileItIsTiny() throws Exception {
    AppendArray array = open();
    append(array, 2);
    Rows.savepoint(array, meta);
    assertThat(allRows()).hasSize(1);
    assertThat(allRows().getFirst().size()).isEqualTo(14 + 2 * ROW_BYTES);
    assertThat(disk.names()).isEmpty();
  }

  @Test
  void writesEachFullChunkOnce() throws Exception {
    AppendArray array = open();
    append(array, 2 * CHUNK_ROWS + 5);
    assertThat(Rows.savepoint(array, meta).changes()).hasSize(3);
    append(array, 1);
    assertThat(Rows.savepoint(array, meta).changes()).hasSize(1);
    assertThat(Rows.savepoint(array, meta).changes()).isEmpty();
  }

  /// Between a savepoint and the writing of its batch everything is still read from memory.
  @Test
  void readsRowsWhoseBatchIsNotYetWritten() throws Exception {
    AppendArray array = open();
    for (int round = 0; round < 8; round++) {
      append(array, CHUNK_ROWS - 10);
      MetaBatch batch = new MetaBatch();
      array.savepoint(batch);
      int count = (int) array.rowCount();
      assertThat(Rows.read(array, 0, count, ROW_BYTES)).isEqualTo(Rows.of(0, 0, count, ROW_BYTES));
      meta.write(batch);
    }
    assertThat(disk.names()).containsExactly(FILE);
  }

  @Test
  void movesToAFileOnceItHasOutgrownTheMetaStore() throws Exception {
    AppendArray array = open();
    append(array, 600);
    Rows.savepoint(array, meta);
    assertThat(disk.names()).isEmpty();
    append(array, 100);
    Rows.savepoint(array, meta);
    assertThat(allRows()).as("only the head is left").hasSize(1);
    assertThat(disk.content(FILE)).isEqualTo(Rows.of(0, 0, 700, ROW_BYTES));
    array.close();
    AppendArray again = open();
    assertThat(Rows.read(again, 0, 700, ROW_BYTES)).isEqualTo(Rows.of(0, 0, 700, ROW_BYTES));
  }

  @Test
  void cutsAFileThatIsLongerThanRecorded() throws Exception {
    savedFile(700);
    disk.overwrite(FILE, 700 * ROW_BYTES, new byte[] {1, 2, 3});
    assertThat(open().rowCount()).isEqualTo(700);
    assertThat(disk.content(FILE)).hasSize(700 * ROW_BYTES);
  }

  @Test
  void refusesAFileThatIsShorterThanRecorded() throws Exception {
    savedFile(700);
    disk.open(FILE).truncate(699 * ROW_BYTES);
    assertThatThrownBy(this::open)
        .isInstanceOfSatisfying(
            CorruptStreamException.class,
            e -> {
              assertThat(e.file()).isEqualTo(FILE);
              assertThat(e.offset()).isEqualTo(699 * ROW_BYTES);
            });
  }

  /// Emptied while it was open: reading names the place instead of yielding zeros.
  @Test
  void refusesToReadWhereTheFileEnds() throws Exception {
    savedFile(700);
    AppendArray array = open();
    disk.open(FILE).truncate(0);
    assertThatThrownBy(() -> array.read(10, 1, new byte[ROW_BYTES], 0))
        .isInstanceOfSatisfying(
            CorruptStreamException.class, e -> assertThat(e.offset()).isEqualTo(10 * ROW_BYTES));
  }

  @Test
  void refusesAMissingChunkRow() throws Exception {
    AppendArray array = open();
    append(array, 3 * CHUNK_ROWS);
    MetaBatch batch = Rows.savepoint(array, meta);
    meta.write(new MetaBatch().delete(batch.changes().get(1).key()));
    array.close();
    AppendArray again = open();
    assertThat(Rows.read(again, 0, CHUNK_ROWS, ROW_BYTES))
        .isEqualTo(Rows.of(0, 0, CHUNK_ROWS, ROW_BYTES));
    assertThatThrownBy(() -> again.read(CHUNK_ROWS, 1, new byte[ROW_BYTES], 0))
        .isInstanceOfSatisfying(
            CorruptStreamException.class, e -> assertThat(e.offset()).isEqualTo(4096));
  }

  @Test
  void refusesAHeadItDoesNotUnderstand() throws Exception {
    AppendArray array = open();
    append(array, 2);
    MetaBatch.Change.Put head =
        (MetaBatch.Change.Put) Rows.savepoint(array, meta).changes().getFirst();
    array.close();
    assertCorruptHead(head, 0, 2, "version 2 is too new");
    assertCorruptHead(head, 1, 9, "unknown kind 9");
    assertCorruptHead(head, 5, 33, "rows of 33 bytes, want 32");
    assertCorruptHead(head, 6, 0x80, "rows");
    assertCorruptHead(head, 13, 3, "64 bytes of rows, want 96");
    meta.write(new MetaBatch().put(head.key(), head.value().slice(0, 13)));
    assertThatThrownBy(this::open).hasMessageContaining("13 bytes, want at least 14");
  }

  private void assertCorruptHead(MetaBatch.Change.Put head, int at, int value, String message) {
    byte[] spoiled = head.value().toArray();
    spoiled[at] = (byte) value;
    meta.write(new MetaBatch().put(head.key(), Bytes.wrap(spoiled)));
    assertThatThrownBy(this::open)
        .isInstanceOf(CorruptStreamException.class)
        .hasMessageContaining(message);
  }

  @Test
  void hasOneOwner() throws Exception {
    ArrayStore store = new ArrayStore(disk, meta, SMALL);
    AppendArray array = store.open(Rows.ID, ROW_BYTES);
    assertThatThrownBy(() -> store.open(Rows.ID, ROW_BYTES))
        .isInstanceOf(IllegalStateException.class);
    array.close();
    store.open(Rows.ID, ROW_BYTES);
    assertThatThrownBy(() -> array.append(new byte[ROW_BYTES], 0, 1))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void keepsArraysApart() throws Exception {
    ArrayStore store = new ArrayStore(disk, meta, SMALL);
    List<AppendArray> arrays = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      arrays.add(store.open(Rows.id("a" + i), ROW_BYTES));
    }
    for (int round = 0; round < 4; round++) {
      MetaBatch batch = new MetaBatch();
      for (int i = 0; i < arrays.size(); i++) {
        AppendArray array = arrays.get(i);
        array.append(Rows.of(i, array.rowCount(), 300, ROW_BYTES), 0, 300);
        array.savepoint(batch);
      }
      meta.write(batch);
    }
    for (int i = 0; i < arrays.size(); i++) {
      assertThat(Rows.read(arrays.get(i), 0, 1200, ROW_BYTES))
          .isEqualTo(Rows.of(i, 0, 1200, ROW_BYTES));
    }
  }

  @Test
  void refusesRowsThatAreNotThere() throws Exception {
    AppendArray array = open();
    append(array, 10);
    byte[] into = new byte[4 * ROW_BYTES];
    assertThatThrownBy(() -> array.read(7, 4, into, 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> array.read(-1, 1, into, 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> array.read(0, 5, into, 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  private void savedFile(int rows) throws Exception {
    AppendArray array = open();
    append(array, rows);
    Rows.savepoint(array, meta);
    array.close();
  }

  private AppendArray open() throws Exception {
    return new ArrayStore(disk, meta, SMALL).open(Rows.ID, ROW_BYTES);
  }

  private static void append(AppendArray array, int count) throws Exception {
    array.append(Rows.of(0, array.rowCount(), count, ROW_BYTES), 0, count);
  }

  private List<Bytes> allRows() throws Exception {
    List<Bytes> values = new ArrayList<>();
    meta.scan(Bytes.EMPTY, null, (_, value) -> values.add(value));
    return values;
  }
}
