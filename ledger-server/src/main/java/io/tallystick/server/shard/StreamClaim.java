package io.tallystick.server.shard;

import io.tallystick.server.frame.CommitFrameWriter;
import io.tallystick.server.frame.Guard;
import io.tallystick.server.removal.Stillness;
import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamWriter;
import io.tallystick.storage.stream.TornTail;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A claim to a shard's stream, and the third act of recovery: a new epoch, the writer that fences
/// all earlier ones, the replay of what they had written, and, where others may claim too, a first
/// frame and the wait for the lease of the owner before. Source: `docs/formats/savepoint.md`,
/// "Recovery".
///
/// @param fencedAt when nobody else could write any more, by {@link Ownership#nanoTime}
record StreamClaim(ShardStorage storage, long epoch, StreamWriter writer, long fencedAt) {
  private static final Logger LOG = LoggerFactory.getLogger(StreamClaim.class);
  private static final int GUARDS_PER_FRAME_MAX = 4096;

  /// Takes an epoch and fences.
  ///
  /// @param from a boundary between frames that is known to be durable
  static StreamClaim take(ShardStorage storage, StreamPosition from)
      throws IOException, CorruptStreamException {
    long epoch = storage.epochs().next(storage.stream());
    StreamWriter writer = storage.streams().openWriter(storage.stream(), epoch, from);
    StreamClaim claim = new StreamClaim(storage, epoch, writer, storage.ownership().nanoTime());
    writer.cut().ifPresent(claim::tell);
    return claim;
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

  /// Replays the rest of the stream for a shard that follows it, which can be read then. If that
  /// fails, both are closed.
  OpenShard replay(Following following)
      throws IOException, CorruptStreamException, ErasedFrameException {
    try {
      following.finish(this);
      sweepObjects(following.restored());
      if (storage.ownership().isShared()) {
        storage.ownership().checkEnd(writer.end().number() - 1);
      }
    } catch (IOException
        | CorruptStreamException
        | ErasedFrameException
        | RuntimeException
        | Error e) {
      RestoredShard.closeAfter(e, writer);
      RestoredShard.closeAfter(e, following);
      throw e;
    }
    return new OpenShard(this, following, new OwnerLease(storage.ownership(), storage.clock()));
  }

  /// Where others may claim too, writes the successor of all that was replayed, and waits until the
  /// lease of the owner before has ended. If that fails, the shard can still be read.
  void begin(OpenShard shard) throws IOException {
    if (!storage.ownership().isShared()) {
      return;
    }
    try {
      OwnerLease.Stamp sent = writeGuards(shard);
      awaitLease();
      shard.lease().confirmed(sent, writer.end().number() - 1);
    } catch (IOException | RuntimeException | Error e) {
      shard.lease().renewNoMore();
      throw e;
    }
  }

  /// Nothing makes objects in a data directory now; where they are shared, {@link ShardRemovals}
  /// does this beside.
  private void sweepObjects(RestoredShard restored) throws IOException, CorruptStreamException {
    Stillness still = restored.parts().still();
    if (!restored.tables().objects().isShared() && still.beginChange()) {
      try {
        restored.tables().sweepObjects(epoch);
      } finally {
        still.endChange();
      }
    }
  }

  /// One frame at least: it is the one successor of all that was replayed.
  ///
  /// @return when the last one was sent
  private OwnerLease.Stamp writeGuards(OpenShard shard) throws IOException {
    CommitFrameWriter frames = new CommitFrameWriter();
    OwnerLease.Stamp sent;
    do {
      List<Guard> guards = shard.indexer().unguarded(GUARDS_PER_FRAME_MAX);
      FrameBuffer buffer = new FrameBuffer();
      long number = writer.end().number();
      frames.write(buffer, number, shard.sequencer().timeMs(), guards, List.of());
      sent = shard.lease().sending();
      writer.append(buffer).awaitDurable();
      storage.ownership().confirmed(number);
      shard.indexer().guarded(guards);
    } while (shard.indexer().hasUnguarded());
    return sent;
  }

  /// The owner before may not have noticed that it is fenced.
  private void awaitLease() throws IOException {
    Ownership ownership = storage.ownership();
    long began = ownership.nanoTime();
    try {
      long left;
      while ((left = OwnerLease.CLAIM_WAIT_NANOS - (ownership.nanoTime() - fencedAt)) > 0) {
        ownership.pause(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException("while a lease ends");
      interrupted.initCause(e);
      throw interrupted;
    }
    LOG.info(
        "shard {}: waited {} ms for the end of the lease of the owner before",
        storage.stream().shard(),
        TimeUnit.NANOSECONDS.toMillis(ownership.nanoTime() - began));
  }
}
