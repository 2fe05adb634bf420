package io.tallystick.server.sim;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.testkit.fault.ForwardingDisk;
import io.tallystick.testkit.fault.ForwardingFile;
import java.io.IOException;

/// A disk that says it forced and did not, as some do.
final class LyingDisk extends ForwardingDisk {
  LyingDisk(Disk disk) {
    super(disk);
  }

  @Override
  public DiskFile open(String name) throws IOException {
    return new LyingFile(super.open(name));
  }

  private static final class LyingFile extends ForwardingFile {
    LyingFile(DiskFile file) {
      super(file);
    }

    @Override
    public void force() {}
  }
}
