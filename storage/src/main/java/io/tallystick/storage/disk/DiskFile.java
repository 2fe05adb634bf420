package io.tallystick.storage.disk;

import java.io.IOException;
import java.nio.ByteBuffer;

/// An open file. Positional reads may run concurrently with anything; writes have one owner thread.
public interface DiskFile extends AutoCloseable {
  /// A page of the kernel's cache, at least, and no less than the sectors of any disk. Long writes
  /// that begin and end at multiples of it, from memory that does too, may go past the cache.
  int PAGE_BYTES = 4096;

  String name();

  long size() throws IOException;

  /// Reads from `position` until `into` is full or the file ends.
  ///
  /// @return the number of bytes read, 0 at or beyond the end
  int read(long position, ByteBuffer into) throws IOException;

  /// Writes all of `from` at `position`, growing the file if needed. Not durable before {@link
  /// #force}.
  void write(long position, ByteBuffer from) throws IOException;

  /// fdatasync: everything written so far survives a crash. After an exception the file is dead:
  /// the caller must never retry on the same descriptor (`docs/architecture.md`, "Failed force").
  void force() throws IOException;

  /// Cuts the file to `size`; does nothing when it is not longer.
  void truncate(long size) throws IOException;

  /// Zeros written and forced from the present end to `size`, so that later writes below it change
  /// no metadata and force faster.
  void allocate(long size) throws IOException;

  /// Makes `bytes` bytes from `position` on, inside the file, zeros, and gives whole blocks among
  /// them back to the file system where it can; the size stays. Not durable before {@link #force}.
  /// What a block held may stay on the medium until it is used again: write zeros and force them
  /// first where that matters.
  default void punch(long position, long bytes) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocate((int) Math.min(bytes, PAGE_BYTES));
    for (long at = position; at < position + bytes; at += zeros.capacity()) {
      write(at, zeros.clear().limit((int) Math.min(zeros.capacity(), position + bytes - at)));
    }
  }

  @Override
  void close() throws IOException;
}
