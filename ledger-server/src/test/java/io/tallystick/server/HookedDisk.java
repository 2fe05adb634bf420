package io.tallystick.server;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.testkit.fault.ForwardingDisk;
import io.tallystick.testkit.fault.ForwardingFile;
import java.io.IOException;

/// A disk on which a test may hold up or fail a force, and the question for free space.
final class HookedDisk extends ForwardingDisk {
  /// Runs before the real thing.
  @FunctionalInterface
  interface Hook {
    void run() throws IOException;
  }

  volatile Hook onForce = () -> {};
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
    public void force() throws IOException {
      onForce.run();
      super.force();
    }
  }
}
