package io.tallystick.server.index;

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

  private record Kept(long frame, BlockInfo block) {
    boolean isOf(StrandIndex strand, BlockRow row) {
      return block.firstJsn() == row.firstJsn()
          && frame == row.frame()
          && block.strand().equals(strand.strand());
    }

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

  BlockInfo block(StrandIndex strand, BlockRow row) throws IOException, CorruptStreamException {
    BlockInfo known = find(strand, row);
    if (known != null) {
      return known;
    }
    BlockInfo block = stored.block(strand.strand(), row);
    add(new Kept(row.frame(), block));
    return block;
  }

  /// After damage: whether it is in the store or was only in what was read, the next look tells.
  synchronized void forget() {
    kept.clear();
    bytes = 0;
  }

  private synchronized @Nullable BlockInfo find(StrandIndex strand, BlockRow row) {
    for (Iterator<Kept> all = kept.iterator(); all.hasNext(); ) {
      Kept one = all.next();
      if (one.isOf(strand, row)) {
        all.remove();
        kept.addFirst(one);
        return one.block;
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
