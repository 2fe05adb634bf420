package io.tallystick.server.read;

import io.tallystick.model.StrandId;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/// The blocks that walks read last, over all strands of a shard. A reader of a log needs the same
/// block many times, for a page or a file each time. Data made from a cached block is checked as if
/// the block had just been read. Thread-safe.
final class RecentBlocks {
  /// In all; a block may have 4 MiB of infos.
  private static final int BYTES_MAX = 8 << 20;

  /// Few, so that looking through them costs next to nothing.
  private static final int BLOCKS_MAX = 16;

  /// Where a block stands.
  record Place(StrandId strand, long height, BlockRow row) {
    private boolean holds(StrandId wanted, long jsn) {
      return row.firstJsn() <= jsn && jsn <= row.sealJsn() && strand.equals(wanted);
    }
  }

  private record Kept(Place place, BlockInfo block) {
    int bytes() {
      return block.headerArray().length;
    }
  }

  private final StoredBlocks stored;
  private final Deque<Kept> kept = new ArrayDeque<>();
  private long bytes;

  RecentBlocks(StoredBlocks stored) {
    this.stored = stored;
  }

  /// The place of the block that holds a sealed leaf; that block is not read.
  Place holding(StrandIndex strand, long jsn) throws IOException, CorruptStreamException {
    Kept known = find(strand.strand(), jsn);
    if (known != null) {
      return known.place;
    }
    long height = strand.heightOf(jsn);
    return new Place(strand.strand(), height, strand.block(height));
  }

  BlockInfo block(Place place) throws IOException, CorruptStreamException {
    Kept known = find(place.strand, place.row.firstJsn());
    if (known != null) {
      return known.block;
    }
    BlockInfo block = stored.block(place.strand, place.row);
    add(new Kept(place, block));
    return block;
  }

  /// After damage: whether it is in the store or was only in what was read, the next look tells.
  synchronized void forget() {
    kept.clear();
    bytes = 0;
  }

  private synchronized @Nullable Kept find(StrandId strand, long jsn) {
    for (Iterator<Kept> all = kept.iterator(); all.hasNext(); ) {
      Kept one = all.next();
      if (one.place.holds(strand, jsn)) {
        all.remove();
        kept.addFirst(one);
        return one;
      }
    }
    return null;
  }

  private synchronized void add(Kept one) {
    kept.addFirst(one);
    bytes += one.bytes();
    while (kept.size() > 1 && (bytes > BYTES_MAX || kept.size() > BLOCKS_MAX)) {
      bytes -= kept.removeLast().bytes();
    }
  }
}
