package io.tallystick.storage.stream;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import java.io.IOException;

/// Makes the segments of one stream. A segment gets its name only when its header is forced, so a
/// named segment always has a good one. Thread-safe: the spare is made in the background.
final class SegmentFactory {
  private final StreamFiles files;
  private final StreamSettings settings;
  private boolean closed;

  SegmentFactory(StreamFiles files, StreamSettings settings) {
    this.files = files;
    this.settings = settings;
  }

  /// Throws away a spare left by an earlier process: it may be half made.
  synchronized void dropSpare() throws IOException {
    files.disk().delete(files.spare());
  }

  /// Lays zeros for the segment after the present one; cheap if they are there.
  synchronized void prepareSpare() throws IOException {
    if (closed) {
      return;
    }
    try (DiskFile spare = files.disk().open(files.spare())) {
      spare.allocate(settings.spareBytes());
    }
  }

  /// @throws io.tallystick.storage.disk.DiskFullException if there is no room; nothing was changed
  ///   but the spare
  synchronized SegmentFile create(SegmentHeader header) throws IOException {
    Disk disk = files.disk();
    try (DiskFile spare = disk.open(files.spare())) {
      spare.allocate(settings.firstAllocationBytes());
      spare.write(0, header.encode());
      spare.force();
    }
    disk.rename(files.spare(), files.segment(header.segment()));
    disk.forceDirectory(files.directory());
    return open(header);
  }

  SegmentFile open(SegmentHeader header) throws IOException {
    String name = files.segment(header.segment());
    DiskFile file = files.disk().open(name);
    DiskFile growth = files.disk().open(name);
    return new SegmentFile(file, growth, header, settings);
  }

  /// Ends background work, so that the next writer has the spare's name for itself.
  synchronized void close() {
    closed = true;
  }
}
