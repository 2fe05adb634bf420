package io.tallystick.server.sim;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.testkit.fault.ForwardingDisk;
import io.tallystick.testkit.fault.ForwardingFile;
import java.io.IOException;
import java.util.function.Predicate;

/// A disk that reports a force of some of its files as done and drops it, as some disks do.
final class DroppedForceDisk extends ForwardingDisk {
  private final Predicate<String> dropped;

  /// @param dropped names of the files that are not forced
  DroppedForceDisk(Disk disk, Predicate<String> dropped) {
    super(disk);
    this.dropped = dropped;
  }

  @Override
  public DiskFile open(String name) throws IOException {
    DiskFile file = super.open(name);
    return dropped.test(name) ? new DroppedForceFile(file) : file;
  }

  private static final class DroppedForceFile extends ForwardingFile {
    DroppedForceFile(DiskFile file) {
      super(file);
    }

    @Override
    public void force() {}
  }
}
