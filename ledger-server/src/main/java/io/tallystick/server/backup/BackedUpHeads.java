package io.tallystick.server.backup;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.StrandId;
import io.tallystick.node.Backups;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.CommitFrame;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.saved.SavepointRow;
import io.tallystick.server.saved.StrandRow;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.sequencer.StrandHead;
import io.tallystick.server.shard.Shard;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/// How far a backup has each ledger: to the last block of the rows, or to a later one of the frames
/// behind them. One thread's.
final class BackedUpHeads {
  private static final int SEALED_TRIES_MAX = 12_000;
  private static final long AGAIN_MILLIS = 5;
  private static final int STRAND = 0;

  private final Shard shard;
  private final Set<LedgerId> witnessed;

  /// Height of the last block that the backup has, by ledger.
  private final Map<LedgerId, Long> heights = new TreeMap<>(Comparator.comparing(LedgerId::hex));

  private long savedFrames;

  BackedUpHeads(Shard shard, Set<LedgerId> witnessed) {
    this.shard = shard;
    this.witnessed = Set.copyOf(witnessed);
  }

  /// A row of the savepoint.
  void see(Bytes key, Bytes value) throws MalformedException {
    if (key.equals(SavepointRow.KEY)) {
      savedFrames = SavepointRow.decode(value).position().number();
    } else if (key.slice(0, 1).equals(StrandRow.STRANDS)) {
      heights.put(
          new LedgerId(Digest.of(key.toArray(), 1)), StrandRow.decode(key, value).blocks() - 1);
    }
  }

  /// A frame, which may be behind the savepoint; after all rows.
  ///
  /// @param file that it is in
  void see(long number, ByteBuffer frame, int infoBytes, String file)
      throws CorruptStreamException {
    if (number < savedFrames) {
      return;
    }
    byte[] infos = new byte[infoBytes];
    frame.get(FrameHeader.BYTES, infos);
    try {
      for (BlockInfo block : CommitFrame.checked(infos).blocks()) {
        heights.merge(block.strand().ledger(), block.height(), Math::max);
      }
    } catch (MalformedException e) {
      throw new CorruptStreamException(file, 0, "frame " + number + ": " + e.getMessage(), e);
    }
  }

  /// Waits until the last blocks are sealed.
  ///
  /// @throws IOException if the shard does not seal them
  List<Backups.Head> sealed() throws IOException, CorruptStreamException {
    List<Backups.Head> heads = new ArrayList<>(heights.size());
    for (Map.Entry<LedgerId, Long> each : heights.entrySet()) {
      LedgerId id = each.getKey();
      BlockRow last = sealed(new StrandId(id, STRAND), each.getValue());
      StrandHead head = Objects.requireNonNull(shard.sequencer().head(id));
      heads.add(
          new Backups.Head(
              id,
              last.size(),
              each.getValue() + 1,
              last.headRoot(),
              witnessed.contains(id),
              Printable.of(head.ledger().name().name())));
    }
    return heads;
  }

  private BlockRow sealed(StrandId strand, long height) throws IOException, CorruptStreamException {
    for (int i = 0; i < SEALED_TRIES_MAX && shard.isReadable(); i++) {
      StrandIndex index = shard.indexer().strand(strand);
      if (index.head().blocks() > height) {
        return index.block(height);
      }
      try {
        Thread.sleep(AGAIN_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
    }
    throw new IOException(
        String.format(Locale.ROOT, "the shard does not seal block %d of %s", height, strand));
  }
}
