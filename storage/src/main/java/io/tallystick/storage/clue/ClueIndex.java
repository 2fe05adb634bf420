package io.tallystick.storage.clue;

import io.tallystick.merkle.RangeProof;
import io.tallystick.merkle.TreeGeometry;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.storage.array.AppendArray;
import io.tallystick.storage.array.ArrayId;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The clue index (cSL) of one strand: for each clue the list of its journals, and the RFC 9162
/// tree over their leaf hashes.
///
/// One owner thread appends, visits what changed, and saves; it shares the work of a batch with its
/// workers. Any thread reads, while the owner appends: an entry never changes, and what a clue was
/// at a smaller count is answered as it was then. Appending is O(1) for an entry, reads no cell,
/// and is allocation-free once the clue's head is in memory; an entry is found in O(log n) reads of
/// cells. A damaged cell fails the reads that need it and nothing else.
///
/// After an exception of {@link #append} nothing more is appended: the shard is opened again.
/// Source: LedgerDB section 6.2; `docs/formats/clue-index.md`.
public final class ClueIndex implements AutoCloseable {
  /// The most entries of one read.
  public static final int ENTRIES_MAX = RangeProof.COUNT_MAX;

  private static final String CELLS = "clues";

  private final StrandId strand;
  private final ClueMemory memory;
  private final Workers workers;
  private final AppendArray cells;
  private final ClueRows rows;
  private final ClueHeads heads;
  private final ClueNodes nodes;

  // The owner's alone.
  private final ChangedHeads changed = new ChangedHeads();
  private long unsavedBytes;
  private long cellBytes; // of cells that wait in memory for a savepoint
  private long savingCellBytes;
  private boolean rebuilding;
  private boolean savedRebuilding;
  private boolean failed;
  private HeadWitness witness = HeadWitness.NONE;

  private ClueIndex(
      StrandId strand,
      MetaStore meta,
      ClueMemory memory,
      Workers workers,
      AppendArray cells,
      boolean rebuilding) {
    this.strand = strand;
    this.memory = memory;
    this.workers = workers;
    this.cells = cells;
    this.rows = new ClueRows(strand);
    this.heads = new ClueHeads(strand, meta, rows, cells, memory);
    this.nodes = new ClueNodes(meta, strand, rows);
    this.rebuilding = rebuilding;
    this.savedRebuilding = rebuilding;
  }

  /// Opens the index as the strand's last savepoint left it; empty if it never had one.
  ///
  /// @param meta the store that `arrays` saves to
  /// @param memory of the shard
  /// @param workers of the shard
  /// @throws CorruptStreamException if there are not as many cells as the savepoint recorded, or a
  ///   rebuilding was not finished
  public static ClueIndex restore(
      ArrayStore arrays, MetaStore meta, StrandId strand, ClueMemory memory, Workers workers)
      throws IOException, CorruptStreamException {
    Bytes value = meta.get(new ClueRows(strand).index());
    IndexRow row = value == null ? new IndexRow(false, 0) : IndexRow.decode(strand, value);
    if (row.rebuilding()) {
      throw IndexRow.corrupt(
          strand, 1, "a rebuilding was not finished: run `tally rebuild --index clue`");
    }
    return open(arrays, meta, strand, memory, workers, row);
  }

  private static ClueIndex open(
      ArrayStore arrays,
      MetaStore meta,
      StrandId strand,
      ClueMemory memory,
      Workers workers,
      IndexRow row)
      throws IOException, CorruptStreamException {
    AppendArray cells = arrays.open(new ArrayId(strand, CELLS), CellBytes.BYTES);
    if (cells.rowCount() != row.cells()) {
      cells.close();
      throw IndexRow.corrupt(
          strand,
          2,
          String.format(Locale.ROOT, "%d cells, want %d", cells.rowCount(), row.cells()));
    }
    return new ClueIndex(strand, meta, memory, workers, cells, row.rebuilding());
  }

  /// Deletes the content of a strand's closed index and opens it empty, for a rebuild from the
  /// journals. The index cannot be restored until {@link #rebuilt} is saved, so an interrupted
  /// rebuild is started over.
  public static ClueIndex startOver(
      ArrayStore arrays, MetaStore meta, StrandId strand, ClueMemory memory, Workers workers)
      throws IOException, CorruptStreamException {
    IndexRow empty = new IndexRow(true, 0);
    ClueRows rows = new ClueRows(strand);
    MetaBatch first = new MetaBatch().put(rows.index(), empty.encode());
    arrays.erase(new ArrayId(strand, CELLS), first);
    meta.write(first);
    rows.deleteAllButIndex(meta);
    return open(arrays, meta, strand, memory, workers, empty);
  }

  /// Whether a row of the meta store is of a clue index, which a rebuild fills again.
  public static boolean isRow(Bytes key) {
    return ClueRows.isRow(key) || ArrayStore.isRow(key, CELLS);
  }

  /// The name, without its folder, of the file of a strand's cells, which a rebuild fills again.
  public static String cellsFile() {
    return ArrayStore.fileName(CELLS);
  }

  /// With `batch`, a closed index cannot be restored until it was {@link #startOver started over}
  /// and rebuilt, whatever it holds.
  public static void discard(StrandId strand, MetaBatch batch) {
    batch.put(new ClueRows(strand).index(), new IndexRow(true, 0).encode());
  }

  /// Marks the index as rebuilt: it can be restored from the next savepoint on. For the owner.
  public void rebuilt() {
    rebuilding = false;
  }

  /// Gives the index the witness that knows the clues from elsewhere. For the owner, before any
  /// append.
  public void witness(HeadWitness knows) {
    witness = knows;
  }

  /// All entries of all clues.
  public long cellCount() {
    return cells.rowCount();
  }

  /// Entries appended since the last savepoint; 0 when closing loses nothing. For the owner.
  public long unsavedCellCount() {
    return cells.unsavedRowCount();
  }

  /// The memory that the next savepoint lets go of. For the owner.
  public long unsavedBytes() {
    return unsavedBytes;
  }

  /// Makes each of a batch's journals its clue's newest entry, in order. The result is the same as
  /// if each were appended alone. Readers may see entries of different clues in any order. For the
  /// owner; its workers take part.
  public void append(ClueBatch batch) throws IOException, CorruptStreamException {
    checkUsable();
    failed = true; // until all of it is done
    long more = new BatchAppender(heads, cells, nodes, batch).append(workers, witness, changed);
    if (!cells.isFile()) {
      cellBytes += (long) batch.size() * CellBytes.BYTES;
      more += (long) batch.size() * CellBytes.BYTES;
    }
    unsaved(more);
    failed = false;
  }

  private void unsaved(long more) {
    unsavedBytes += more;
    memory.unsaved(more);
  }

  /// Visits each clue that has changed since the last visit once, in the order in which they did.
  /// For the owner; its workers compute the roots.
  public void visitChanged(ChangedClues visitor) throws IOException, CorruptStreamException {
    HeadList touched = changed.touched();
    @Nullable Digest[] roots = new Digest[touched.count()];
    workers.run(
        roots.length,
        (_, from, to) -> {
          TreeEdge edge = new TreeEdge();
          for (int i = from; i < to; i++) {
            byte[] head = touched.at(i);
            roots[i] = HeadBytes.has(head, HeadBytes.TOUCHED) ? edge.root(head) : null;
          }
        });
    for (int i = 0; i < roots.length; i++) {
      Digest root = roots[i];
      if (root != null) {
        byte[] head = touched.at(i);
        HeadBytes.clear(head, HeadBytes.TOUCHED);
        visitor.clue(HeadBytes.key(head), HeadBytes.count(head), root, HeadBytes.deletedJsn(head));
      }
    }
    touched.clear();
  }

  /// The newest state of a clue; empty if it was never used.
  public Optional<ClueHead> head(Digest clueId) throws IOException, CorruptStreamException {
    byte[] head = heads.snapshot(clueId);
    return head == null
        ? Optional.empty()
        : Optional.of(
            new ClueHead(
                HeadBytes.count(head), HeadBytes.lastJsn(head), HeadBytes.deletedJsn(head)));
  }

  /// Entry `index` of a clue.
  public ClueEntry entry(Digest clueId, long index) throws IOException, CorruptStreamException {
    return reader(covering(clueId, Objects.checkIndex(index, Long.MAX_VALUE) + 1)).entry(index);
  }

  /// The clue's newest entry whose jsn is not above `jsn`, if there is one.
  public Optional<ClueEntry> latest(Digest clueId, long jsn)
      throws IOException, CorruptStreamException {
    byte[] head = heads.snapshot(clueId);
    return head == null ? Optional.empty() : Optional.ofNullable(reader(head).latest(jsn));
  }

  /// The entries `[first, first + count)` of a clue, ascending.
  ///
  /// @param count at most {@link #ENTRIES_MAX}
  public List<ClueEntry> entries(Digest clueId, long first, int count)
      throws IOException, CorruptStreamException {
    byte[] head = covering(clueId, checkedEnd(first, count));
    ClueEntry[] entries = new ClueEntry[count];
    reader(head)
        .readBack(
            first,
            count,
            (place, entry) ->
                entries[place] = new ClueEntry(first + place, entry.jsn(), entry.leafHash()));
    return Arrays.asList(entries);
  }

  /// Copies the leaf hashes of the entries `[first, first + count)` of a clue, 32 bytes each.
  public void leafHashes(Digest clueId, long first, int count, byte[] into, int offset)
      throws IOException, CorruptStreamException {
    byte[] head = covering(clueId, checkedEnd(first, count));
    Objects.checkFromIndexSize(offset, count * Digest.BYTES, into.length);
    reader(head)
        .readBack(
            first,
            count,
            (place, entry) -> entry.copyLeafHash(into, offset + place * Digest.BYTES));
  }

  /// The root of the clue's first `size` entries.
  public Digest root(Digest clueId, long size) throws IOException, CorruptStreamException {
    byte[] head = covering(clueId, size);
    return size == 0
        ? TreeHasher.EMPTY_ROOT
        : TreeHasher.foldRight(tree(head).hashes(TreeGeometry.cover(0, size)));
  }

  /// The roots of the maximal complete subtrees over the clue's first `size` entries, largest
  /// first: one for each bit set in `size`.
  public List<Digest> subtrees(Digest clueId, long size)
      throws IOException, CorruptStreamException {
    byte[] head = covering(clueId, size);
    return tree(head).hashes(TreeGeometry.cover(0, size));
  }

  /// That the entries `[first, first + count)` are in the clue's tree of `size`: complete lineage
  /// when they are all of it, membership when it is one.
  public RangeProof proof(Digest clueId, long first, int count, long size)
      throws IOException, CorruptStreamException {
    checkedEnd(first, count);
    byte[] head = covering(clueId, size);
    return new RangeProof(
        first, count, size, tree(head).hashes(TreeGeometry.outsideRange(first, count, size)));
  }

  private static long checkedEnd(long first, int count) {
    Objects.checkIndex(count, ENTRIES_MAX + 1);
    return Objects.checkFromIndexSize(first, (long) count, Long.MAX_VALUE) + count;
  }

  private ClueListReader reader(byte[] head) {
    return new ClueListReader(cells, head);
  }

  private ClueSubtrees tree(byte[] head) {
    return new ClueSubtrees(reader(head), nodes, head);
  }

  private byte[] covering(Digest clueId, long count) throws IOException, CorruptStreamException {
    byte[] head = heads.snapshot(clueId);
    if (head == null) {
      head = heads.create(clueId, 0);
    }
    if (count < 0 || count > HeadBytes.count(head)) {
      throw new IndexOutOfBoundsException(count + " entries of " + HeadBytes.count(head));
    }
    return head;
  }

  /// Makes what was appended part of `batch`; see {@link ArrayStore} for the contract. For the
  /// owner; the batches of earlier savepoints have been written.
  public void savepoint(MetaBatch batch) throws IOException, CorruptStreamException {
    checkUsable();
    saved();
    failed = true; // until all of it is done
    cells.savepoint(batch);
    if (changed.isAnyDirty() || rebuilding != savedRebuilding) {
      saveRows(batch);
    }
    failed = false;
  }

  private void saveRows(MetaBatch batch) {
    changed.savepoint(rows, batch);
    nodes.savepoint(batch);
    batch.put(rows.index(), new IndexRow(rebuilding, cells.rowCount()).encode());
    savedRebuilding = rebuilding;
    savingCellBytes = cellBytes;
    cellBytes = 0;
  }

  /// Says that the last savepoint's batch has been written: its heads need no longer stay in
  /// memory. For the owner; the next savepoint says so too.
  public void saved() {
    unsaved(-changed.saved() - savingCellBytes - (long) nodes.saved() * ClueNodes.MEMORY_BYTES);
    savingCellBytes = 0;
  }

  private void checkUsable() {
    if (failed) {
      throw new IllegalStateException("clue index of " + strand + " has failed");
    }
  }

  /// Lets go of the cells and heads; entries that no savepoint holds are gone. See {@link
  /// AppendArray#close}.
  @Override
  public void close() {
    memory.unsaved(-unsavedBytes);
    unsavedBytes = 0;
    heads.close();
    cells.close();
  }
}
