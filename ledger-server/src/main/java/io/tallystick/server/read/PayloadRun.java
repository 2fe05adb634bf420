package io.tallystick.server.read;

import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.Location;
import java.io.IOException;

/// Stored payload items of a block, read many at a time where they lie side by side. Not
/// thread-safe.
final class PayloadRun {
  private static final int READ_BYTES_MAX = 256 << 10;

  private final StoredBlocks stored;
  private final BlockRow row;
  private final BlockInfo block;
  private byte[] bytes = new byte[0];
  private int first;
  private int end;

  PayloadRun(StoredBlocks stored, BlockRow row, BlockInfo block) {
    this.stored = stored;
    this.row = row;
    this.block = block;
  }

  /// Where the item of a journal begins in {@link #bytes}, until the next call.
  ///
  /// @param until no journal from there on will be asked for
  int find(int journal, int until) throws IOException, CorruptStreamException {
    if (journal < first || journal >= end) {
      fill(journal, until);
    }
    return block.payloadOffset(journal) - block.payloadOffset(first);
  }

  byte[] bytes() {
    return bytes;
  }

  private void fill(int journal, int until) throws IOException, CorruptStreamException {
    int next = journal + 1;
    int size = block.payloadBytes(journal);
    while (next < until
        && block.payloadOffset(next) == block.payloadOffset(journal) + size
        && size + block.payloadBytes(next) <= READ_BYTES_MAX) {
      size += block.payloadBytes(next);
      next++;
    }
    end = journal;
    try {
      bytes = stored.read(at(journal), size);
      end = next;
    } catch (IOException e) {
      // One bad place must not hide its neighbours.
      bytes = stored.read(at(journal), block.payloadBytes(journal));
      end = journal + 1;
    }
    first = journal;
  }

  Location at(int journal) {
    return new Location(row.frame(), row.payloadOffset() + block.payloadOffset(journal));
  }
}
