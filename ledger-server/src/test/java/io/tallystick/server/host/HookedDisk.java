package io.tallystick.server.host;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.testkit.fault.ForwardingDisk;
import io.tallystick.testkit.fault.ForwardingFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/// A disk on which a test may hold up or fail a force, a read, and the question for free space.
final class HookedDisk extends ForwardingDisk {
  /// Runs before the real thing.
  @FunctionalInterface
  interface Hook {
    void run() throws IOException;
  }

  volatile Hook onForce = () -> {};

  /// Before a read; what is read is damaged if it says so.
  volatile BooleanSupplier onRead = () -> false;

  volatile Hook onFreeBytes = () -> {};
  volatile long freeBytesMax = Long.MAX_VALUE;

  HookedDisk(Disk disk) {
    super(disk);
  }

  @Override
  public DiskFile open(String name) throws IOException {
    return new HookedFile(super.open(name));
  }

  @Override
  public long freeBytes() throws IOException {
    onFreeBytes.run();
    return Math.min(super.freeBytes(), freeBytesMax);
  }

  private final class HookedFile extends ForwardingFile {
    HookedFile(DiskFile file) {
      super(file);
    }

    @Override
    public int read(long position, ByteBuffer into) throws IOException {
      boolean damaged = onRead.getAsBoolean();
      int from = into.position();
      int count = super.read(position, into);
      for (int i = from; damaged && i < into.position(); i++) {
        into.put(i, (byte) ~into.get(i));
      }
      return count;
    }

    @Override
    public void force() throws IOException {
      onForce.run();
      super.force();
    }
  }
}
