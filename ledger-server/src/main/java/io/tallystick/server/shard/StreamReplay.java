package io.tallystick.server.shard;

import io.tallystick.journal.GenesisParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.node.LedgerName;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.CommitFrame;
import io.tallystick.server.frame.FramePlace;
import io.tallystick.server.frame.PayloadItem;
import io.tallystick.server.note.NotesSection;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.removal.SavepointGate;
import io.tallystick.server.seal.Indexer;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.sequencer.StrandHead;
import io.tallystick.server.world.LedgerGenesis;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.FrameCursor;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The replay of the frames behind a savepoint with their recorded results, which checks every fork
/// guard on the way and signs nothing. It goes on where it stopped; after an exception it must not
/// be used again. Not thread-safe. Source: `docs/formats/savepoint.md`, "Recovery".
final class StreamReplay {
  private static final int NOTES_WAITING_MAX = 10_000;
  private static final LedgerName UNREADABLE_NAME = new LedgerName(Digest.ZERO, "");

  private final RestoredShard shard;
  private final Indexer indexer;
  private final LogReader log;
  private final Savepoints savepoints;
  private StreamPosition next;
  private StreamPosition saved;
  private long epoch;

  /// @param gate told of savepoints
  StreamReplay(RestoredShard shard, Indexer indexer, LogReader log, SavepointGate gate) {
    this.shard = shard;
    this.indexer = indexer;
    this.log = log;
    this.savepoints =
        new Savepoints(
            shard.parts().storage().meta(), shard.notes(), indexer, shard.tables().chains(), gate);
    this.next = shard.saved().position();
    this.saved = next;
    this.epoch = shard.saved().epoch();
  }

  /// The first frame that is not replayed.
  StreamPosition next() {
    return next;
  }

  /// The epoch that further savepoints have.
  void claimed(long byEpoch) {
    epoch = byEpoch;
  }

  /// Replays what the reader has.
  ///
  /// @return whether there was anything
  /// @throws ErasedFrameException if a frame is not whole any more
  boolean run(StreamReader reader)
      throws IOException, CorruptStreamException, ErasedFrameException {
    checkKept(reader, null);
    boolean any = false;
    try (FrameCursor cursor = reader.tail(next)) {
      while (isAtFrame(cursor, reader)) {
        replay(cursor);
        any = true;
      }
    }
    return any;
  }

  /// A frame that cannot be read may have been dropped since the reader looked.
  private boolean isAtFrame(FrameCursor cursor, StreamReader reader)
      throws IOException, CorruptStreamException, ErasedFrameException {
    try {
      return cursor.next();
    } catch (CorruptStreamException e) {
      reader.refresh();
      checkKept(reader, e);
      throw e;
    }
  }

  private void checkKept(StreamReader reader, @Nullable CorruptStreamException damage)
      throws IOException, ErasedFrameException {
    List<StreamReader.Segment> segments = reader.segments();
    if (!segments.isEmpty() && segments.getFirst().firstFrame() > next.number()) {
      throw new ErasedFrameException(next, damage);
    }
  }

  /// @param end of the stream
  void checkWhole(StreamPosition end) throws CorruptStreamException {
    checkNumber(end.number(), next.number(), end.toString());
  }

  private void replay(FrameCursor cursor)
      throws IOException, CorruptStreamException, ErasedFrameException {
    ByteBuffer infos = cursor.infos();
    byte[] copy = new byte[infos.remaining()];
    infos.get(copy);
    FramePlace place = FramePlace.of(cursor.position(), FrameHeader.BYTES + copy.length);
    checkNumber(cursor.position().number(), next.number(), place.toString());
    try {
      CommitFrame frame = CommitFrame.checked(copy);
      if (frame.blocks().stream().anyMatch(BlockInfo::erased)) {
        throw new ErasedFrameException(cursor.position(), null);
      }
      shard.notes().replay(cursor.position().number(), NotesSection.read(cursor.notes()));
      replay(frame, place);
    } catch (MalformedException e) {
      throw new CorruptStreamException(place.toString(), 0, String.valueOf(e.getMessage()));
    }
    next = cursor.after();
    epoch = Math.max(epoch, cursor.epoch());
    ShardConfig config = shard.parts().config();
    if (indexer.savepointDue()
        || indexer.dirtyStrands() >= config.savepoints().strands()
        || shard.notes().waiting() >= NOTES_WAITING_MAX) {
      // What was sealed before a crash took no more memory than this; nor may sealing it again.
      save();
      indexer.rest(config.indexing().awakeStrandsMax());
    }
  }

  /// Takes a savepoint, if there is anything new.
  void save() throws IOException, CorruptStreamException {
    if (next.number() > saved.number()) {
      savepoints.take(next, epoch, shard.sequencer().timeMs());
      saved = next;
    }
  }

  /// Not each frame has blocks or notes by which a lost one would be noticed.
  private static void checkNumber(long number, long want, String place)
      throws CorruptStreamException {
    if (number != want) {
      throw new CorruptStreamException(
          place, 0, String.format(Locale.ROOT, "frame %d, want frame %d", number, want));
    }
  }

  private void replay(CommitFrame frame, FramePlace place)
      throws IOException, CorruptStreamException, MalformedException {
    for (BlockInfo block : frame.blocks()) {
      if (block.genesis()) {
        shard.sequencer().restore(StrandHead.founded(ledgerOf(block, place)));
      }
    }
    shard.sequencer().replay(frame);
    indexer.apply(frame, place, false);
    indexer.guarded(frame.guards());
    for (BlockInfo block : frame.blocks()) {
      StrandIndex strand = indexer.strand(block.strand());
      shard.sequencer().govern(block.strand().ledger(), strand.head().governance());
    }
  }

  private LedgerGenesis ledgerOf(BlockInfo block, FramePlace place)
      throws IOException, CorruptStreamException {
    Bytes params = block.header(0);
    try {
      GenesisParams decoded = GenesisParams.decode(params);
      return new LedgerGenesis(decoded.ledgerId(), params, decoded, nameOf(block, place));
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          place.toString(), block.offset(), "genesis: " + e.getMessage());
    }
  }

  /// A ledger's name is for display only; a damaged one must not keep a shard from opening.
  private LedgerName nameOf(BlockInfo block, FramePlace place) throws IOException {
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
