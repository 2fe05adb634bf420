package io.tallystick.storage.stream;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.testkit.contract.Frames;
import java.io.IOException;
import java.nio.ByteBuffer;

/// What befalls the files of a local stream.
final class LocalFaults {
  private LocalFaults() {}

  private static DiskFile file(Disk disk, StreamId id, Location at) throws IOException {
    return disk.open(LocalStreamStore.fileOf(Frames.DIRECTORY, id, at.frame()));
  }

  private static long position(Location at) {
    return LocalStreamStore.positionOf(at.frame()) + at.offset();
  }

  /// Inverts a bit of a byte.
  static void damage(Disk disk, StreamId id, Location at) throws IOException {
    try (DiskFile file = file(disk, id, at)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      file.read(position(at), one);
      file.write(position(at), one.put(0, (byte) (one.get(0) ^ 1)).flip());
      file.force();
    }
  }

  /// Leaves zeros from a byte on, to the end of its file.
  static void tear(Disk disk, StreamId id, Location from) throws IOException {
    try (DiskFile file = file(disk, id, from)) {
      int count = Math.toIntExact(file.size() - position(from));
      file.write(position(from), ByteBuffer.allocate(count));
      file.force();
    }
  }
}
