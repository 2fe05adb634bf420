package io.tallystick.server.shard;

import io.tallystick.server.saved.SavepointRow;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// Opens a shard up to its first frame: {@link RestoredShard}, {@link Following}, {@link
/// StreamClaim}, in a row. Source: `docs/formats/savepoint.md`, "Recovery".
final class Recovery {
  private final RecoveryParts parts;

  Recovery(RecoveryParts parts) {
    this.parts = parts;
  }

  /// @throws CorruptStreamException if what is stored contradicts itself; nothing was signed
  OpenShard open() throws IOException, CorruptStreamException {
    return open(new Following(RestoredShard.of(parts)));
  }

  /// Claims the stream for a shard that follows it, which begins again if it needs what is erased.
  OpenShard open(Following first) throws IOException, CorruptStreamException {
    Following following = first;
    while (true) {
      try {
        return claim(following).replay(following);
      } catch (ErasedFrameException e) {
        following = again(e);
      }
    }
  }

  private StreamClaim claim(Following following)
      throws IOException, CorruptStreamException, ErasedFrameException {
    ShardStorage storage = parts.storage();
    try {
      return StreamClaim.take(storage, following.position());
    } catch (CorruptStreamException e) {
      RestoredShard.closeAfter(e, following);
      if (storage.ownership().isShared()) {
        throw new ErasedFrameException(following.position(), e); // others may have dropped it
      }
      throw e;
    } catch (IOException | RuntimeException | Error e) {
      RestoredShard.closeAfter(e, following);
      throw e;
    }
  }

  /// The same for a stream that is claimed already.
  OpenShard open(StreamClaim claim) throws IOException, CorruptStreamException {
    Following following;
    try {
      following = new Following(RestoredShard.of(parts));
    } catch (IOException | CorruptStreamException | RuntimeException | Error e) {
      RestoredShard.closeAfter(e, claim.writer());
      throw e;
    }
    return open(claim, following);
  }

  /// The same for a shard that is replayed up to where the claim began.
  OpenShard open(StreamClaim claim, Following following)
      throws IOException, CorruptStreamException {
    try {
      return claim.replay(following);
    } catch (ErasedFrameException e) {
      return open(again(e));
    }
  }

  /// Restores the newest savepoint that was shipped.
  ///
  /// @param met the frame that the one here lacks
  Following again(ErasedFrameException met) throws IOException, CorruptStreamException {
    if (!parts.storage().ownership().fetchSavepoint(met.at())) {
      throw met.corrupt();
    }
    parts.storage().meta().reopen();
    return new Following(RestoredShard.of(parts));
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
}
