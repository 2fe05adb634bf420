package io.tallystick.server.shard;

import io.tallystick.server.read.LogReader;
import io.tallystick.server.removal.SavepointGate;
import io.tallystick.server.removal.SnapshotJournals;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.server.seal.Indexer;
import io.tallystick.server.sequencer.StrandHead;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamPosition;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/// A restored shard that reads its stream and replays it: the second act of recovery. It changes
/// nothing of the stream, which may have a writer in another process. One owner thread.
final class Following implements AutoCloseable {
  private final RestoredShard restored;
  private final ShardReader reader = new ShardReader();
  private final SavepointGate gate;
  private final LogReader log;
  private final Indexer indexer;
  private final StreamReplay replay;
  private boolean begun;

  Following(RestoredShard restored) {
    this.restored = restored;
    RecoveryParts parts = restored.parts();
    this.gate =
        new SavepointGate(restored.saved().position(), parts.storage().ownership()::shippedTo);
    this.log =
        new LogReader(reader, parts.hasher(), new SnapshotJournals(restored.tables().snapshots()));
    this.indexer =
        new Indexer(
            parts.storage().meta(),
            restored.arrays(),
            parts.hasher(),
            parts.signer(),
            id -> {
              StrandHead head = restored.sequencer().head(id);
              return head == null ? null : head.ledger();
            },
            restored.replays(),
            restored.indexes().stores(),
            new StoredBlocks(reader),
            restored.tables().chains()::sealed);
    this.replay = new StreamReplay(restored, indexer, log, gate);
  }

  RestoredShard restored() {
    return restored;
  }

  ShardReader reader() {
    return reader;
  }

  SavepointGate gate() {
    return gate;
  }

  LogReader log() {
    return log;
  }

  Indexer indexer() {
    return indexer;
  }

  /// The first frame that is not replayed.
  StreamPosition position() {
    return replay.next();
  }

  /// What can be read of it now, and while more is replayed.
  FollowedView view() {
    return new FollowedView(restored.sequencer(), indexer, log, position().number());
  }

  /// Finds the end of the stream as others have written it. What is replayed stays right if that
  /// fails.
  void look() throws IOException, CorruptStreamException {
    ShardStorage storage = restored.parts().storage();
    if (reader.isOpen()) {
      reader.refresh();
    } else {
      reader.become(storage.streams().openReader(storage.stream()));
    }
  }

  /// Replays what there is to that end.
  ///
  /// @return whether there was anything
  boolean catchUp() throws IOException, CorruptStreamException, ErasedFrameException {
    if (!begun) {
      begun = true;
      RecoveryParts parts = restored.parts();
      indexer.restoreGuards();
      new TimeFill(
              parts.storage().meta(), indexer, log, parts.config().indexing().awakeStrandsMax())
          .fill();
    }
    boolean any = replay.run(reader);
    indexer.rest(restored.parts().config().indexing().awakeStrandsMax());
    restored.tables().images().look(true);
    return any;
  }

  /// Fetches images of snapshots, as far as that is possible now.
  ///
  /// @param ends asked between two pieces: whether to stop
  void fetchImages(BooleanSupplier ends) throws IOException {
    restored.tables().images().look(false);
    restored.tables().images().fetching().fetch(ends);
  }

  /// Takes a savepoint, if there is anything new.
  void save() throws IOException, CorruptStreamException {
    replay.save();
  }

  /// Replays the rest of a stream that this process writes from now on. Waits for no images:
  /// readers are refused those until the thread that erases has fetched them.
  void finish(StreamClaim claim) throws IOException, CorruptStreamException, ErasedFrameException {
    ShardStorage storage = restored.parts().storage();
    if (storage.ownership().isShared()) {
      restored.parts().signer().pairs().readAgain(); // all that the owner before may have signed by
    }
    reader.become(storage.streams().openReader(storage.stream()));
    replay.claimed(claim.epoch());
    var _ = catchUp();
    replay.checkWhole(claim.writer().end());
  }

  @Override
  public void close() throws IOException {
    try (restored;
        reader) {
      // Closed in the opposite order; each even if another fails.
    }
  }
}
