package io.tallystick.storage.clue;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.storage.array.AppendArray;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The heads of one index: those in the shard's memory, and behind them the rows of the last
/// savepoint. Thread-safe.
final class ClueHeads {
  private final StrandId strand;
  private final MetaStore meta;
  private final ClueRows rows;
  private final AppendArray cells;
  private final ClueMemory memory;
  private final int share;
  private volatile boolean closed;

  ClueHeads(StrandId strand, MetaStore meta, ClueRows rows, AppendArray cells, ClueMemory memory) {
    this.strand = strand;
    this.meta = meta;
    this.rows = rows;
    this.cells = cells;
    this.memory = memory;
    this.share = memory.share();
  }

  /// Where a clue's head is or would be.
  int place(Digest clueId) {
    return memory.place(share, clueId);
  }

  /// The part of the memory with that place; its monitor guards the head.
  HeadTable table(int place) {
    return memory.table(place);
  }

  /// The part of the memory with that number, below {@link ClueMemory#TABLES}.
  HeadTable tableAt(int number) {
    return memory.tableAt(number);
  }

  /// The head in memory; null if it is not there. With the table's monitor.
  byte @Nullable [] find(HeadTable table, Digest clueId, int place) {
    int slot = table.find(share, clueId, place);
    return slot == HeadTable.NONE ? null : table.head(slot);
  }

  /// Keeps a head in memory. With the table's monitor.
  ///
  /// @param inMemory what is there of it, the same or what it has outgrown; null if nothing is
  void keep(HeadTable table, int place, byte @Nullable [] inMemory, byte[] head) {
    if (inMemory == null) {
      table.add(head, place);
      memory.grew(table, HeadBytes.memoryBytes(head));
    } else if (inMemory.length != head.length) {
      table.replace(table.find(share, HeadBytes.clueId(head), place), head);
      memory.grew(table, (long) head.length - inMemory.length);
    }
  }

  byte[] create(Digest clueId, long count) {
    return HeadBytes.create(share, clueId, count);
  }

  /// Whether there is memory for what only makes look-ups faster.
  boolean isRoomy() {
    return memory.isRoomy();
  }

  /// A copy of a clue's head as it is now; null if there is none.
  byte @Nullable [] snapshot(Digest clueId) throws IOException, CorruptStreamException {
    int place = place(clueId);
    HeadTable table = table(place);
    long removals;
    synchronized (table) {
      byte[] head = find(table, clueId, place);
      if (head != null) {
        HeadBytes.used(head, true);
        return HeadBytes.count(head) == 0 ? null : head.clone();
      }
      removals = table.removals();
    }
    byte[] head = stored(clueId);
    if (head != null) {
      synchronized (table) {
        if (table.removals() == removals && find(table, clueId, place) == null) {
          keep(table, place, null, head.clone());
        }
      }
    }
    return head;
  }

  /// The head that the last savepoint holds.
  byte @Nullable [] stored(Digest clueId) throws IOException, CorruptStreamException {
    Bytes row = meta.get(rows.head(clueId));
    if (closed) {
      // Whoever fills the index again has perhaps deleted the row: that it is not there says
      // nothing.
      throw IndexRow.corrupt(strand, 0, "the index was closed while it was read");
    }
    if (row == null) {
      return null;
    }
    byte[] head = HeadRow.decode(strand, share, clueId, cells.rowCount(), row);
    checkLastCell(head, clueId);
    return head;
  }

  /// A damaged cell is found by the read that needs it. The head has everything that an append
  /// needs.
  private void checkLastCell(byte[] head, Digest clueId)
      throws IOException, CorruptStreamException {
    CellBytes cell = new CellBytes();
    cell.clue(clueId);
    try {
      cell.read(cells, HeadBytes.lastCell(head));
    } catch (CorruptStreamException _) {
      return;
    }
    long index = HeadBytes.count(head) - 1;
    if (!cell.isEntry(index) || cell.jsn() != HeadBytes.lastJsn(head)) {
      throw HeadRow.corrupt(
          strand,
          clueId,
          0,
          String.format(
              Locale.ROOT,
              "last cell %d is of journal %d, want entry %d of journal %d",
              HeadBytes.lastCell(head),
              cell.jsn(),
              index,
              HeadBytes.lastJsn(head)));
    }
  }

  /// The heads may go, saved or not.
  void close() {
    closed = true;
    memory.close(share);
  }
}
