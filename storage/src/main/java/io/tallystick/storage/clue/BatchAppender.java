package io.tallystick.storage.clue;

import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import io.tallystick.storage.array.AppendArray;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Appends the entries of a batch to the lists and trees of their clues. Workers take one table of
/// heads after the other, so that one worker appends the entries of a clue, in order, and the
/// result does not depend on the order of the workers. Allocation-free per entry, but where a head
/// grows, a node is kept or a clue's head is not in memory. One for each batch. Source: LedgerDB
/// section 6.2.
final class BatchAppender {
  /// Entries whose heads, which lie anywhere, are fetched together; a reader of the table waits for
  /// no more than these.
  private static final int FETCHED = 32;

  /// Fewer are appended before another thread has woken up.
  private static final int SHARED_MIN = 64;

  private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::new);

  private final ClueHeads heads;
  private final AppendArray cells;
  private final ClueNodes nodes;
  private final ClueBatch batch;
  private final long firstCell;
  private final boolean sampled; // whether heads that grow get room for samples
  private final AtomicLong unsavedBytes = new AtomicLong();

  /// The buffers that a worker writes with.
  private static final class Scratch {
    private final CellBytes cell = new CellBytes();
    private final TreeEdge edge = new TreeEdge();
    private final byte[] noHead = HeadBytes.create(0, Digest.ZERO, 0);
    private final byte[][] fetched = new byte[FETCHED][];
    private long unsavedBytes;
    private int unusedSum; // kept so that what computes it is not left out

    private long takeUnsavedBytes() {
      long taken = unsavedBytes;
      unsavedBytes = 0;
      return taken;
    }
  }

  BatchAppender(ClueHeads heads, AppendArray cells, ClueNodes nodes, ClueBatch batch) {
    this.heads = heads;
    this.cells = cells;
    this.nodes = nodes;
    this.batch = batch;
    this.firstCell = cells.rowCount();
    this.sampled = heads.isRoomy();
  }

  /// Appends all entries, entry i as cell i from the newest on, and puts the heads into the lists.
  /// A reader sees them one by one, and finds the cells of those it sees.
  ///
  /// @return how much more waits in memory for the next savepoint, but for cells
  long append(Workers workers, HeadWitness witness, ChangedHeads changed)
      throws IOException, CorruptStreamException {
    batch.arrange(heads);
    cells.extend(batch.size());
    int chunkMin = batch.size() < SHARED_MIN ? ClueMemory.TABLES : 1;
    workers.run(ClueMemory.TABLES, chunkMin, (_, from, to) -> appendTables(from, to));
    Scratch scratch = SCRATCH.get();
    for (int entry = 0; entry < batch.size(); entry++) {
      if (batch.isPending(entry)) {
        load(scratch, witness, entry);
      }
      changed.add(batch.head(entry), batch.missing(entry));
    }
    cells.filled();
    return unsavedBytes.get() + scratch.takeUnsavedBytes();
  }

  private void appendTables(int from, int to) {
    Scratch scratch = SCRATCH.get();
    for (int table = from; table < to; table++) {
      appendTable(scratch, heads.tableAt(table), batch.first(table), batch.end(table));
    }
    unsavedBytes.addAndGet(scratch.takeUnsavedBytes());
  }

  private void appendTable(Scratch scratch, HeadTable table, int first, int end) {
    for (int from = first; from < end; from += FETCHED) {
      int to = Math.min(end, from + FETCHED);
      synchronized (table) {
        fetch(scratch, table, from, to);
        for (int at = from; at < to; at++) {
          appendIfChecked(scratch, table, batch.at(at));
        }
      }
    }
  }

  /// Reads what the appends will read. The processor waits for as many heads at once as it finds
  /// within some hundred instructions, so there are three short loops.
  private void fetch(Scratch scratch, HeadTable table, int from, int to) {
    byte[][] fetched = scratch.fetched;
    int count = to - from;
    for (int i = 0; i < count; i++) {
      byte[] head = table.guess(batch.place(batch.at(from + i)));
      fetched[i] = head == null ? scratch.noHead : head;
    }
    int sum = 0;
    for (int i = 0; i < count; i++) {
      sum += HeadBytes.touchFront(fetched[i]);
    }
    for (int i = 0; i < count; i++) {
      sum += HeadBytes.touchRest(fetched[i]);
    }
    scratch.unusedSum += sum;
  }

  /// A clue whose head is not here stays pending with all its entries. With the table's monitor.
  private boolean appendIfChecked(Scratch scratch, HeadTable table, int entry) {
    byte[] head = heads.find(table, batch.clueId(entry), batch.place(entry));
    if (head == null || !HeadBytes.has(head, HeadBytes.CHECKED)) {
      return false;
    }
    append(scratch, table, entry, head, head);
    return true;
  }

  /// Appends an entry whose clue's head was not here, or was put here by a reader.
  private void load(Scratch scratch, HeadWitness witness, int entry)
      throws IOException, CorruptStreamException {
    Digest clueId = batch.clueId(entry);
    HeadTable table = heads.table(batch.place(entry));
    synchronized (table) {
      if (appendIfChecked(scratch, table, entry)) {
        return; // an entry before it has loaded the head
      }
    }
    byte[] base = checked(scratch, witness, clueId);
    synchronized (table) {
      byte[] loaded = heads.find(table, clueId, batch.place(entry)); // by a reader
      byte[] head = loaded != null ? loaded : base;
      HeadBytes.set(head, HeadBytes.CHECKED);
      append(scratch, table, entry, loaded, head);
    }
  }

  /// The head of a clue as of the last savepoint, or one without entries.
  private byte[] checked(Scratch scratch, HeadWitness witness, Digest clueId)
      throws IOException, CorruptStreamException {
    byte[] stored = heads.stored(clueId);
    byte[] head = stored != null ? stored : heads.create(clueId, 1);
    Digest root = stored == null ? TreeHasher.EMPTY_ROOT : scratch.edge.root(head);
    witness.check(HeadBytes.key(head), HeadBytes.count(head), root, HeadBytes.deletedJsn(head));
    return head;
  }

  /// The cell comes first: a reader that sees the head finds the cell. With the table's monitor.
  ///
  /// @param inMemory the head if the table has it
  private void append(
      Scratch scratch, HeadTable table, int entry, byte @Nullable [] inMemory, byte[] head) {
    checkIsNewer(head, entry);
    long count = HeadBytes.count(head);
    long shape = HeadBytes.shape(head);
    int trees = HeadBytes.trees(head);
    int skipTo = SkipGeometry.nextJoins(shape) ? trees - 3 : trees - 1;
    fillCell(scratch.cell, head, entry, skipTo);
    int missing = mark(scratch, head);
    byte[] grown = head;
    if (!HeadBytes.hasRoomFor(head, count + 1)) {
      grown = HeadBytes.grown(head, count + 1, sampled);
      scratch.unsavedBytes += grown.length - head.length;
      missing = replace(head);
    }
    long cell = firstCell + entry;
    growTree(scratch, grown, entry);
    HeadBytes.push(grown, skipTo + 2, cell, batch.jsn(entry));
    HeadBytes.sample(grown, count, cell, batch.jsn(entry));
    HeadBytes.count(grown, count + 1, SkipGeometry.extended(shape));
    HeadBytes.deletedJsn(grown, batch.deletedJsn(entry));
    heads.keep(table, batch.place(entry), inMemory, grown);
    batch.appended(entry, grown, missing);
  }

  private void checkIsNewer(byte[] head, int entry) {
    if (HeadBytes.trees(head) > 0 && batch.jsn(entry) <= HeadBytes.lastJsn(head)) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "journal %d after %d of clue %s",
              batch.jsn(entry),
              HeadBytes.lastJsn(head),
              batch.clueId(entry)));
    }
  }

  private void fillCell(CellBytes cell, byte[] head, int entry, int skipTo) {
    cell.clue(batch.clueId(entry));
    cell.fill(
        cells,
        firstCell + entry,
        HeadBytes.count(head),
        batch.jsn(entry),
        batch.leafHashes(),
        ClueBatch.leafHashAt(entry),
        HeadBytes.trees(head) == 0 ? CellBytes.NONE : HeadBytes.lastCell(head),
        skipTo < 0 ? CellBytes.NONE : HeadBytes.spineCell(head, skipTo));
  }

  /// @return flags of the lists that the head is to be put into
  private static int mark(Scratch scratch, byte[] head) {
    int missing = HeadBytes.missing(head, HeadBytes.DIRTY | HeadBytes.TOUCHED);
    if (!HeadBytes.has(head, HeadBytes.DIRTY | HeadBytes.SAVING)) {
      scratch.unsavedBytes += HeadBytes.memoryBytes(head);
    }
    HeadBytes.set(head, missing);
    HeadBytes.used(head, true);
    return missing;
  }

  /// A copy takes a head's place in the lists.
  ///
  /// @return flags of the lists that the copy is to be put into
  private static int replace(byte[] head) {
    int lists = HeadBytes.UNEVICTABLE & ~HeadBytes.missing(head, HeadBytes.UNEVICTABLE);
    HeadBytes.clear(head, lists);
    return lists;
  }

  private void growTree(Scratch scratch, byte[] head, int entry) {
    TreeEdge edge = scratch.edge;
    long count = HeadBytes.count(head);
    edge.leaf(batch.leafHashes(), ClueBatch.leafHashAt(entry));
    int level = 0;
    for (long left = count; (left & 1) == 1; left >>>= 1) {
      edge.join(head, level);
      level++;
      if (level % ClueNodes.STEP == 0) {
        nodes.add(firstCell + entry, batch.clueId(entry), level, count >>> level, edge.hash());
        scratch.unsavedBytes += ClueNodes.MEMORY_BYTES;
      }
    }
    edge.keep(head, level);
  }
}
