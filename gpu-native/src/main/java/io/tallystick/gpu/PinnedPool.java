package io.tallystick.gpu;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Lends pieces of one block of memory. First fit; neighbours that are free become one.
/// Thread-safe.
final class PinnedPool {
  private static final long PIECE_BYTES = 256;

  private final MemorySegment block;
  private final TreeMap<Long, Long> free = new TreeMap<>(); // bytes by offset
  private final TreeMap<Long, Long> lent = new TreeMap<>();

  PinnedPool(MemorySegment block) {
    this.block = block;
    if (block.byteSize() > 0) {
      free.put(0L, block.byteSize());
    }
  }

  /// Holding anything; empty if there is no room.
  ///
  /// @param bytes from 0
  synchronized Optional<MemorySegment> lend(long bytes) {
    long rounded = Math.max(1, Math.ceilDiv(bytes, PIECE_BYTES)) * PIECE_BYTES;
    for (Map.Entry<Long, Long> piece : free.entrySet()) {
      if (piece.getValue() >= rounded) {
        return Optional.of(lend(piece.getKey(), piece.getValue(), rounded).asSlice(0, bytes));
      }
    }
    return Optional.empty();
  }

  private MemorySegment lend(long offset, long freeBytes, long bytes) {
    free.remove(offset);
    if (freeBytes > bytes) {
      free.put(offset + bytes, freeBytes - bytes);
    }
    lent.put(offset, bytes);
    return block.asSlice(offset, bytes);
  }

  /// @throws IllegalArgumentException if it was not lent here
  synchronized void takeBack(MemorySegment memory) {
    long offset = memory.address() - block.address();
    Long bytes = lent.remove(offset);
    if (bytes == null) {
      throw new IllegalArgumentException("not lent");
    }
    long from = offset;
    long to = offset + bytes;
    Map.Entry<Long, Long> before = free.lowerEntry(offset);
    if (before != null && before.getKey() + before.getValue() == offset) {
      from = before.getKey();
    }
    Long after = free.remove(to);
    free.put(from, (after == null ? to : to + after) - from);
  }

  /// Whether all of it lies in the block.
  boolean holds(MemorySegment memory) {
    long offset = memory.address() - block.address();
    return memory.isNative() && offset >= 0 && offset + memory.byteSize() <= block.byteSize();
  }
}
