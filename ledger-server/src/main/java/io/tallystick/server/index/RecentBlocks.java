package io.tallystick.server.index;

import io.tallystick.model.StrandId;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/// The blocks that walks met last, over all strands of a shard: who reads a log reads the block he
/// is in many times over, a page or a file each time. What is made of one is checked as if it had
/// just been read. Thread-safe.
final class RecentBlocks {
  /// In all; a block may have 4 MiB of infos.
  private static final int BYTES_MAX = 8 << 20;

  /// Few, so that looking through them costs next to nothing.
  private static final int BLOCKS_MAX = 16;

  /// A block with its row.
  record Placed(StrandId strand, long height, BlockRow row, BlockInfo block) {
    private boolean holds(StrandId wanted, long jsn) {
      return row.firstJsn() <= jsn && jsn <= row.sealJsn() && strand.equals(wanted);
    }

    private int bytes() {
      return block.headerArray().length;
    }
  }

  private final StoredBlocks stored;
  private final Deque<Placed> kept = new ArrayDeque<>();
  private long bytes;

  RecentBlocks(StoredBlocks stored) {
    this.stored = stored;
  }

  /// The block that holds a sealed leaf.
  Placed holding(StrandIndex strand, long jsn) throws IOException, CorruptStreamException {
    Placed known = find(strand.strand(), jsn);
    if (known != null) {
      return known;
    }
    long height = strand.heightOf(jsn);
    BlockRow row = strand.block(height);
    Placed placed = new Placed(strand.strand(), height, row, stored.block(strand.strand(), row));
    add(placed);
    return placed;
  }

  /// After damage: whether it is in the store or was only in what was read, the next look tells.
  synchronized void forget() {
    kept.clear();
    bytes = 0;
  }

  private synchronized @Nullable Placed find(StrandId strand, long jsn) {
    for (Iterator<Placed> all = kept.iterator(); all.hasNext(); ) {
      Placed one = all.next();
      if (one.holds(strand, jsn)) {
        all.remove();
        kept.addFirst(one);
        return one;
      }
    }
    return null;
  }

  private synchronized void add(Placed one) {
    kept.addFirst(one);
    bytes += one.bytes();
    while (kept.size() > 1 && (bytes > BYTES_MAX || kept.size() > BLOCKS_MAX)) {
      bytes -= kept.removeLast().bytes();
    }
  }
}
