package io.tallystick.storage.clue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.clue.ClueModel.Appended;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A cell that is not what was written, there and for that clue, fails the reads that need it,
/// which say where it is; whatever else is done goes on. Two clues take turns, so clue 0 has the
/// even cells.
class ClueDamageTest {
  private static final int CELLS = 400;

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final ClueModel model = new ClueModel();
  private final Digest damaged = ClueModel.clueId(0);
  private final Digest other = ClueModel.clueId(1);

  @BeforeEach
  void fill() throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < CELLS + 100; i++) {
      model.add(new Appended(ClueModel.clueId(i % 2), i + 10, ClueModel.digest(random), false));
    }
    try (Shard shard = Shard.open(disk, meta)) {
      shard.append(model, 0, CELLS);
      shard.savepoint();
    }
  }

  @Test
  void noticesEveryFlippedByte() throws Exception {
    for (int at = 0; at < 64; at++) {
      byte[] cell = read(100);
      byte[] flipped = cell.clone();
      flipped[at] ^= 0x10;
      write(100, flipped);
      assertCellFails(100);
      write(100, cell);
    }
    try (Shard shard = Shard.open(disk, meta)) {
      ClueChecks.assertIs(shard.index(), model.first(CELLS), new SplittableRandom(2));
    }
  }

  @Test
  void noticesACellOfAnotherClue() throws Exception {
    write(100, read(101));
    assertCellFails(100);
  }

  @Test
  void noticesACellOfAnotherPlace() throws Exception {
    write(100, read(98));
    assertCellFails(100);
  }

  /// The last cell of a clue is damaged, and with it what the next would point to: the clue grows
  /// all the same, in memory or loaded anew, and only what needs the cell fails.
  @Test
  void appendsGoOnBehindADamagedCell() throws Exception {
    write(CELLS - 2, new byte[64]);
    try (Shard shard = Shard.open(disk, meta, new ClueMemory(0))) {
      shard.append(model, CELLS, CELLS + 50);
      shard.savepoint();
      shard.append(model, CELLS + 50, CELLS + 100);
      shard.savepoint();
    }
    try (Shard shard = Shard.open(disk, meta)) {
      List<Appended> list = model.list(damaged);
      int bad = (CELLS - 2) / 2;
      assertThatThrownBy(() -> shard.index().entry(damaged, bad))
          .isInstanceOf(CorruptStreamException.class);
      for (int i = bad + 1; i < list.size(); i++) {
        assertThat(shard.index().entry(damaged, i)).isEqualTo(ClueModel.entry(list, i));
      }
      assertThat(shard.index().root(damaged, list.size()))
          .isEqualTo(ClueModel.tree(list).root(list.size()));
    }
  }

  @Test
  void namesTheRowsOfASmallIndex() throws Exception {
    InMemoryDisk empty = new InMemoryDisk();
    InMemoryMetaStore small = new InMemoryMetaStore();
    try (Shard shard = Shard.open(empty, small)) {
      shard.append(model, 0, 20);
      shard.savepoint();
    }
    Bytes key = Bytes.wrap(arrayHeadKey());
    byte[] row = row(small, key).toArray();
    row[14 + 64 * 6 + 20] ^= 1;
    small.write(new MetaBatch().put(key, Bytes.wrap(row)));
    try (Shard shard = Shard.open(empty, small)) {
      assertThatThrownBy(() -> shard.index().entry(damaged, 3))
          .isInstanceOfSatisfying(
              CorruptStreamException.class,
              e -> {
                assertThat(e.file()).contains("/clues");
                assertThat(e.offset()).isEqualTo(6 * 64);
              });
    }
  }

  @Test
  void refusesAHeadThatIsNotItsLastCells() throws Exception {
    Bytes key = headKey(damaged);
    Bytes old = Bytes.EMPTY;
    try (Shard shard = Shard.open(disk, meta)) {
      old = row(key);
      shard.append(model, CELLS, CELLS + 10);
      shard.savepoint();
    }
    byte[] wrong = row(key).toArray();
    wrong[17 + 16 * spine(wrong) - 1]++; // the jsn of the newest entry
    CRC32C crc = new CRC32C();
    crc.update(damaged.toArray());
    crc.update(wrong, 0, wrong.length - 4);
    ByteBuffer.wrap(wrong).putInt(wrong.length - 4, (int) crc.getValue());
    meta.write(new MetaBatch().put(key, Bytes.wrap(wrong)));
    try (Shard shard = Shard.open(disk, meta)) {
      assertThatThrownBy(() -> shard.index().head(damaged))
          .isInstanceOf(CorruptStreamException.class)
          .hasMessageContaining("last cell");
      assertThat(shard.index().head(other)).isPresent();
    }
    assertThat(old).isNotEqualTo(row(key));
  }

  /// Each would be appended to, and sealed, otherwise.
  @Test
  void noticesEveryFlippedByteOfAHead() throws Exception {
    Bytes key = headKey(damaged);
    Bytes right = row(key);
    for (int at = 0; at < right.size(); at++) {
      byte[] wrong = right.toArray();
      wrong[at] ^= 0x10;
      meta.write(new MetaBatch().put(key, Bytes.wrap(wrong)));
      try (Shard shard = Shard.open(disk, meta)) {
        assertThatThrownBy(() -> shard.append(model, CELLS, CELLS + 2))
            .isInstanceOf(CorruptStreamException.class)
            .hasMessageContaining("head of clue " + damaged);
      }
    }
  }

  @Test
  void refusesAnIndexOfAnotherNumberOfCells() throws Exception {
    Bytes key = Bytes.copyOf(headKey(damaged).toArray(), 0, 37);
    byte[] wrong = row(key).toArray();
    wrong[9]--;
    meta.write(new MetaBatch().put(key, Bytes.wrap(wrong)));
    assertThatThrownBy(() -> Shard.open(disk, meta))
        .isInstanceOf(CorruptStreamException.class)
        .hasMessageContaining("400 cells, want 399");
  }

  @Test
  void refusesCellsThatAreMissing() throws Exception {
    try (DiskFile file = disk.open(Shard.FILE)) {
      file.truncate((CELLS - 1) * 64L);
    }
    assertThatThrownBy(() -> Shard.open(disk, meta))
        .isInstanceOfSatisfying(
            CorruptStreamException.class, e -> assertThat(e.file()).isEqualTo(Shard.FILE));
  }

  /// Cell 100 is entry 50 of the clue.
  private void assertCellFails(int cell) throws Exception {
    int entry = cell / 2;
    try (Shard shard = Shard.open(disk, meta)) {
      assertNames(cell, () -> shard.index().entry(damaged, entry));
      assertNames(cell, () -> shard.index().entries(damaged, entry - 5, 20));
      assertNames(cell, () -> shard.index().proof(damaged, entry + 1, 1, CELLS / 2));
      assertThat(shard.index().entry(damaged, entry + 1).index()).isEqualTo(entry + 1);
      List<Appended> list = model.first(CELLS).list(other);
      ClueChecks.assertIs(shard.index(), list, new SplittableRandom(cell));
      shard.append(model, CELLS, CELLS + 10);
    }
  }

  private static void assertNames(int cell, ThrowingCallable read) {
    assertThatThrownBy(read)
        .isInstanceOfSatisfying(
            CorruptStreamException.class,
            e -> {
              assertThat(e.file()).isEqualTo(Shard.FILE);
              assertThat(e.offset()).isEqualTo(cell * 64L);
            });
  }

  private byte[] read(int cell) throws Exception {
    byte[] bytes = new byte[64];
    try (DiskFile file = disk.open(Shard.FILE)) {
      assertThat(file.read(cell * 64L, ByteBuffer.wrap(bytes))).isEqualTo(64);
    }
    return bytes;
  }

  private void write(int cell, byte[] bytes) throws Exception {
    try (DiskFile file = disk.open(Shard.FILE)) {
      file.write(cell * 64L, ByteBuffer.wrap(bytes));
    }
  }

  private Bytes row(Bytes key) {
    return row(meta, key);
  }

  private static Bytes row(InMemoryMetaStore store, Bytes key) {
    return Objects.requireNonNull(store.get(key));
  }

  private static int spine(byte[] head) {
    return (head.length - 17 - 4 - 32 * Long.bitCount(ByteBuffer.wrap(head).getLong(1))) / 16;
  }

  private static Bytes headKey(Digest clueId) {
    ByteBuffer key = ByteBuffer.allocate(69).put((byte) 'c');
    key.put(Shard.STRAND.ledger().digest().toArray()).putInt(0).put(clueId.toArray());
    return Bytes.wrap(key.array());
  }

  private static byte[] arrayHeadKey() {
    ByteBuffer key = ByteBuffer.allocate(49).put("array/".getBytes(StandardCharsets.US_ASCII));
    key.put(Shard.STRAND.ledger().digest().toArray()).putInt(0).put((byte) 5);
    key.put("clues".getBytes(StandardCharsets.US_ASCII)).put((byte) 0);
    return key.array();
  }
}
