package io.tallystick.storage.stream;

import io.tallystick.storage.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/// A segment as its writer sees it: bytes are written only where zeros were forced before, so that
/// a force has no metadata to save. Growth may happen on another thread than writes and goes
/// through a descriptor of its own: the kernel reports a lost page once per descriptor, and a force
/// of zeros must not take the report that a frame's force is owed.
final class SegmentFile implements AutoCloseable {
  private final DiskFile file;
  private final DiskFile growth;
  private final SegmentHeader header;
  private final StreamSettings settings;
  private volatile long allocatedBytes;
  private boolean closed;

  /// Takes over two openings of the same file.
  SegmentFile(DiskFile file, DiskFile growth, SegmentHeader header, StreamSettings settings)
      throws IOException {
    this.file = file;
    this.growth = growth;
    this.header = header;
    this.settings = settings;
    this.allocatedBytes = file.size();
  }

  SegmentHeader header() {
    return header;
  }

  /// Writes into allocated space, making some first if it ran out. Whole pages: what is beyond the
  /// limit of `from` is zero already and is written again, or the kernel would have to read the
  /// last page before it can change a part of it.
  ///
  /// @param from its array beyond the limit, up to a page, is zeros
  void write(long position, ByteBuffer from) throws IOException {
    long end = position + from.remaining();
    if (end > allocatedBytes) {
      grow(end);
    }
    long whole =
        Math.min(Math.ceilDiv(end, DiskFile.PAGE_BYTES) * DiskFile.PAGE_BYTES, allocatedBytes);
    file.write(position, from.limit(from.limit() + (int) (whole - end)));
  }

  void force() throws IOException {
    file.force();
  }

  /// Zeroes what a failed write may have left.
  void wipe(long position, int bytes) throws IOException {
    int left = Math.clamp(allocatedBytes - position, 0, bytes);
    file.write(position, ByteBuffer.allocate(left));
    file.force();
  }

  boolean runsLow(long end) {
    return settings.runsLow(allocatedBytes, end);
  }

  /// For the background: one step, if it is still needed.
  synchronized void growAhead(long end) throws IOException {
    if (!closed && runsLow(end)) {
      grow(end);
    }
  }

  /// Serialised: two growths at once could lay zeros over a frame written between them.
  private synchronized void grow(long needed) throws IOException {
    long target = settings.grownTo(allocatedBytes, needed);
    growth.allocate(target);
    allocatedBytes = target;
  }

  @Override
  public synchronized void close() throws IOException {
    closed = true;
    growth.close();
    file.close();
  }
}
