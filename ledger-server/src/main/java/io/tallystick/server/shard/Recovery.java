package io.tallystick.server.shard;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.GenesisParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.node.LedgerName;
import io.tallystick.server.anchor.AnchorTable;
import io.tallystick.server.certificate.ChainTable;
import io.tallystick.server.certificate.ChainTrust;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.CommitFrame;
import io.tallystick.server.frame.FramePlace;
import io.tallystick.server.frame.PayloadItem;
import io.tallystick.server.note.NoteRows;
import io.tallystick.server.note.NoteWriter;
import io.tallystick.server.note.NotesSection;
import io.tallystick.server.proposal.ProposalTable;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.removal.ErasureTable;
import io.tallystick.server.removal.SavepointGate;
import io.tallystick.server.removal.SnapshotJournals;
import io.tallystick.server.removal.SnapshotRows;
import io.tallystick.server.removal.Stillness;
import io.tallystick.server.saved.ReplayRows;
import io.tallystick.server.saved.SavedWorld;
import io.tallystick.server.saved.SavepointRow;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.server.seal.BlockIndexStore;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.seal.Indexer;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.sequencer.ReplayTable;
import io.tallystick.server.sequencer.Sequencer;
import io.tallystick.server.sequencer.StrandHead;
import io.tallystick.server.world.LedgerGenesis;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.FrameCursor;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamWriter;
import io.tallystick.storage.stream.TornTail;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Opens a shard: reads the savepoint, replays the frames behind it with their recorded results,
/// and checks every fork guard on the way. Source: `docs/formats/savepoint.md`, "Recovery".
final class Recovery {
  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);
  private static final int NOTES_WAITING_MAX = 10_000;
  private static final LedgerName UNREADABLE_NAME = new LedgerName(Digest.ZERO, "");

  private final ShardStorage storage;
  private final ShardConfig config;
  private final BatchHasher hasher;
  private final HeadSigner signer;
  private final ChainTrust trust;
  private final ObjectStore objects;
  private final Stillness still;
  private final Set<Bytes> pinnedSnapshots = new HashSet<>();
  private final List<BlockIndexStore.Opener> indexes;
  private final NoteWriter noteWriter;
  private final ArrayLimits limits;

  /// @param noteWriter used by tables once the shard serves
  /// @param limits of arrays: with lower ones a small run meets what a large one does
  Recovery(
      ShardStorage storage,
      ShardConfig config,
      BatchHasher hasher,
      HeadSigner signer,
      ChainTrust trust,
      ObjectStore objects,
      Stillness still,
      List<BlockIndexStore.Opener> indexes,
      NoteWriter noteWriter,
      ArrayLimits limits) {
    this.storage = storage;
    this.config = config;
    this.hasher = hasher;
    this.signer = signer;
    this.trust = trust;
    this.objects = objects;
    this.still = still;
    this.indexes = indexes;
    this.noteWriter = noteWriter;
    this.limits = limits;
  }

  /// @throws CorruptStreamException if what is stored contradicts itself; nothing was signed
  OpenShard open() throws IOException, CorruptStreamException {
    SavepointRow saved = takeOver(storage);
    ReplayRows replayRows = new ReplayRows();
    NoteRows notes = new NoteRows(storage.meta());
    Sequencer sequencer =
        new Sequencer(
            new ReplayTable(config.requests().replayBytesMax()),
            notes,
            saved.timeMs(),
            signer.pairs()::attest,
            trust::check);
    replayRows.restore(storage.meta(), saved.timeMs(), sequencer.replays()::put);
    ArrayStore arrays = new ArrayStore(storage.disk(), storage.meta(), limits);
    OpenIndexes opened = new OpenIndexes();
    try {
      for (BlockIndexStore.Opener index : indexes) {
        opened.add(index.open(storage.disk(), storage.meta(), arrays, hasher));
      }
      return open(saved, notes, sequencer, arrays, opened, replayRows);
    } catch (IOException | CorruptStreamException | RuntimeException | Error e) {
      closeAfter(e, opened);
      closeAfter(e, arrays);
      throw e;
    }
  }

  private OpenShard open(
      SavepointRow saved,
      NoteRows notes,
      Sequencer sequencer,
      ArrayStore arrays,
      OpenIndexes opened,
      ReplayRows replayRows)
      throws IOException, CorruptStreamException {
    restoreHeads(sequencer);
    TableRows rows = new TableRows(storage.meta());
    LedgerTime time = new LedgerTime(storage.clock(), sequencer);
    ShardTables tables = tables(rows, notes, sequencer, time);
    SavepointGate gate = new SavepointGate(saved.position());
    StreamWriter writer =
        storage.streams().openWriter(storage.stream(), saved.epoch(), saved.position());
    writer.cut().ifPresent(this::tell);
    try {
      StreamReader reader = storage.streams().openReader(storage.stream());
      LogReader log = new LogReader(reader, hasher, new SnapshotJournals(tables.snapshots()));
      Indexer indexer =
          new Indexer(
              storage.meta(),
              arrays,
              hasher,
              signer,
              id -> {
                StrandHead head = sequencer.head(id);
                return head == null ? null : head.ledger();
              },
              replayRows,
              opened.stores(),
              new StoredBlocks(reader),
              tables.chains()::sealed);
      new TimeFill(storage.meta(), indexer, log, config.indexing().awakeStrandsMax()).fill();
      replay(reader, saved, writer.end(), gate, notes, sequencer, indexer, log);
      return new OpenShard(
          saved.epoch(),
          notes,
          sequencer,
          indexer,
          arrays,
          opened,
          writer,
          reader,
          log,
          time,
          gate,
          rows,
          tables,
          writer.end());
    } catch (IOException | CorruptStreamException | RuntimeException | Error e) {
      closeAfter(e, writer);
      throw e;
    }
  }

  private ShardTables tables(TableRows rows, NoteRows notes, Sequencer sequencer, LedgerTime time)
      throws IOException, CorruptStreamException {
    return new ShardTables(
        ProposalTable.open(notes, noteWriter, membersOf(sequencer), time),
        AnchorTable.open(notes, noteWriter),
        ErasureTable.open(rows, notes, noteWriter),
        ChainTable.open(rows, new TableObjects(objects, rows), still, storage.clock(), trust),
        new SnapshotRows(rows, pinnedSnapshots));
  }

  private static ProposalTable.Members membersOf(Sequencer sequencer) {
    return (ledger, kid) -> {
      StrandHead head = sequencer.head(ledger);
      return head == null ? Optional.empty() : head.members().find(kid);
    };
  }

  private void tell(TornTail cut) {
    LOG.warn(
        "shard {}: the last frame, number {}, was not whole: {} bytes from offset {} of {} are cut;"
            + " what was not whole was not acknowledged",
        storage.stream().shard(),
        cut.frame(),
        cut.bytes(),
        cut.offset(),
        cut.file());
  }

  private static void closeAfter(Throwable failure, AutoCloseable half) {
    try {
      half.close();
    } catch (Exception e) {
      failure.addSuppressed(e);
    }
  }

  /// Takes a new epoch for a writer that goes on from the last savepoint here, which may be older
  /// than the newest one of the stream.
  ///
  /// @return where the writer begins, and its epoch
  static SavepointRow takeOver(ShardStorage storage) throws IOException, CorruptStreamException {
    long epoch = storage.epochs().next(storage.stream());
    SavepointRow saved = SavepointRow.of(storage.meta());
    return new SavepointRow(saved.position(), epoch, saved.timeMs());
  }

  private void restoreHeads(Sequencer sequencer) throws IOException, CorruptStreamException {
    for (SavedWorld.SavedLedger saved : SavedWorld.ledgers(storage.meta())) {
      sequencer.restore(
          new StrandHead(
              saved.ledger(), saved.strand().size(), saved.strand().blocks(), saved.governance()));
    }
  }

  private void replay(
      StreamReader reader,
      SavepointRow saved,
      StreamPosition end,
      SavepointGate gate,
      NoteRows notes,
      Sequencer sequencer,
      Indexer indexer,
      LogReader log)
      throws IOException, CorruptStreamException {
    long next = saved.position().number();
    Savepoints savepoints = new Savepoints(storage.meta(), notes, indexer, gate);
    try (FrameCursor cursor = reader.tail(saved.position())) {
      while (cursor.next()) {
        ByteBuffer infos = cursor.infos();
        byte[] copy = new byte[infos.remaining()];
        infos.get(copy);
        FramePlace place = FramePlace.of(cursor.position(), FrameHeader.BYTES + copy.length);
        checkNumber(cursor.position().number(), next++, place.toString());
        try {
          notes.replay(cursor.position().number(), NotesSection.read(cursor.notes()));
          replayFrame(CommitFrame.checked(copy), place, sequencer, indexer, log);
        } catch (MalformedException e) {
          throw new CorruptStreamException(place.toString(), 0, String.valueOf(e.getMessage()));
        }
        if (indexer.savepointDue() || notes.waiting() >= NOTES_WAITING_MAX) {
          // What was sealed before a crash took no more memory than this; nor may sealing it again.
          savepoints.take(cursor.after(), saved.epoch(), sequencer.timeMs());
        }
      }
    }
    checkNumber(end.number(), next, end.toString());
  }

  /// Not each frame has blocks or notes by which a lost one would be noticed.
  private static void checkNumber(long number, long want, String place)
      throws CorruptStreamException {
    if (number != want) {
      throw new CorruptStreamException(
          place, 0, String.format(Locale.ROOT, "frame %d, want frame %d", number, want));
    }
  }

  private static void replayFrame(
      CommitFrame frame, FramePlace place, Sequencer sequencer, Indexer indexer, LogReader log)
      throws IOException, CorruptStreamException, MalformedException {
    for (BlockInfo block : frame.blocks()) {
      if (block.genesis()) {
        sequencer.restore(StrandHead.founded(ledgerOf(block, place, log)));
      }
    }
    sequencer.replay(frame);
    indexer.apply(frame, place, false);
    indexer.guarded(frame.guards());
    for (BlockInfo block : frame.blocks()) {
      StrandIndex strand = indexer.strand(block.strand());
      sequencer.govern(block.strand().ledger(), strand.head().governance());
    }
  }

  private static LedgerGenesis ledgerOf(BlockInfo block, FramePlace place, LogReader log)
      throws IOException, CorruptStreamException {
    Bytes params = block.header(0);
    try {
      GenesisParams decoded = GenesisParams.decode(params);
      return new LedgerGenesis(decoded.ledgerId(), params, decoded, nameOf(block, place, log));
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          place.toString(), block.offset(), "genesis: " + e.getMessage());
    }
  }

  /// A ledger's name is for display only; a damaged one must not keep a shard from opening.
  private static LedgerName nameOf(BlockInfo block, FramePlace place, LogReader log)
      throws IOException {
    try {
      Bytes payload = log.genesisPayload(place, block);
      return new LedgerName(
          Digest.of(payload.unsafeArray(), 0),
          new String(
              payload
                  .slice(PayloadItem.SALT_BYTES, payload.size() - PayloadItem.SALT_BYTES)
                  .unsafeArray(),
              StandardCharsets.UTF_8));
    } catch (CorruptStreamException _) {
      return UNREADABLE_NAME;
    }
  }
}
