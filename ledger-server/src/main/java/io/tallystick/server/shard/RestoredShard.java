package io.tallystick.server.shard;

import io.tallystick.server.anchor.AnchorTable;
import io.tallystick.server.certificate.ChainTable;
import io.tallystick.server.mark.ReadOnlyMarks;
import io.tallystick.server.note.NoteRows;
import io.tallystick.server.note.NoteWriter;
import io.tallystick.server.proposal.ProposalTable;
import io.tallystick.server.removal.ErasureTable;
import io.tallystick.server.removal.ImageRows;
import io.tallystick.server.removal.NotedObjects;
import io.tallystick.server.removal.SnapshotRows;
import io.tallystick.server.saved.ReplayRows;
import io.tallystick.server.saved.SavedWorld;
import io.tallystick.server.saved.SavepointRow;
import io.tallystick.server.seal.BlockIndexStore;
import io.tallystick.server.sequencer.ReplayTable;
import io.tallystick.server.sequencer.Sequencer;
import io.tallystick.server.sequencer.StrandHead;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Optional;

/// A shard as its savepoint has it: the first act of recovery. It has no epoch, and its stream is
/// not open. Source: `docs/formats/savepoint.md`, "Recovery".
///
/// @param rows of the tables
record RestoredShard(
    RecoveryParts parts,
    SavepointRow saved,
    NoteRows notes,
    Sequencer sequencer,
    ReplayRows replays,
    ArrayStore arrays,
    OpenIndexes indexes,
    TableRows rows,
    LedgerTime time,
    ShardTables tables)
    implements AutoCloseable {

  /// @throws CorruptStreamException if what is stored contradicts itself
  static RestoredShard of(RecoveryParts parts) throws IOException, CorruptStreamException {
    MetaStore meta = parts.storage().meta();
    SavepointRow saved = SavepointRow.of(meta);
    NoteRows notes = new NoteRows(meta);
    Sequencer sequencer =
        new Sequencer(
            new ReplayTable(parts.config().requests().replayBytesMax()),
            notes,
            saved.timeMs(),
            parts.signer().pairs()::attest,
            parts.trust()::check);
    ReplayRows replays = new ReplayRows();
    replays.restore(meta, saved.timeMs(), sequencer.replays()::put);
    restoreHeads(meta, sequencer);
    TableRows rows = new TableRows(meta);
    LedgerTime time = new LedgerTime(parts.storage().clock(), sequencer);
    ShardTables tables = tables(parts, rows, notes, sequencer, time);
    ArrayStore arrays = new ArrayStore(parts.storage().disk(), meta, parts.limits());
    OpenIndexes indexes = new OpenIndexes();
    try {
      for (BlockIndexStore.Opener index : parts.indexes()) {
        indexes.add(index.open(parts.storage().disk(), meta, arrays, parts.hasher()));
      }
    } catch (IOException | CorruptStreamException | RuntimeException | Error e) {
      closeAfter(e, indexes);
      closeAfter(e, arrays);
      throw e;
    }
    return new RestoredShard(
        parts, saved, notes, sequencer, replays, arrays, indexes, rows, time, tables);
  }

  private static ShardTables tables(
      RecoveryParts parts, TableRows rows, NoteRows notes, Sequencer sequencer, LedgerTime time)
      throws IOException, CorruptStreamException {
    NoteWriter writer = parts.notes();
    NotedObjects noted = new NotedObjects(new TableObjects(parts.objects(), rows), parts.still());
    ImageRows images = ImageRows.open(notes, writer, noted, parts.storage().disk(), parts.images());
    return new ShardTables(
        ProposalTable.open(notes, writer, membersOf(sequencer), time),
        AnchorTable.open(notes, writer),
        ErasureTable.open(rows, notes, writer),
        ChainTable.open(
            notes,
            writer,
            parts.storage().meta(),
            noted,
            parts.still(),
            parts.storage().clock(),
            parts.trust()),
        SnapshotRows.open(notes, writer, noted, images, parts.pinnedSnapshots()),
        images,
        ReadOnlyMarks.open(notes, writer),
        noted);
  }

  private static ProposalTable.Members membersOf(Sequencer sequencer) {
    return (ledger, kid) -> {
      StrandHead head = sequencer.head(ledger);
      return head == null ? Optional.empty() : head.members().find(kid);
    };
  }

  static void closeAfter(Throwable failure, AutoCloseable half) {
    try {
      half.close();
    } catch (Exception e) {
      failure.addSuppressed(e);
    }
  }

  private static void restoreHeads(MetaStore meta, Sequencer sequencer)
      throws IOException, CorruptStreamException {
    for (SavedWorld.SavedLedger saved : SavedWorld.ledgers(meta)) {
      sequencer.restore(
          new StrandHead(
              saved.ledger(), saved.strand().size(), saved.strand().blocks(), saved.governance()));
    }
  }

  @Override
  public void close() throws IOException {
    try (arrays;
        indexes;
        rows) {
      // Closed in the opposite order; each even if another fails.
    }
  }
}
