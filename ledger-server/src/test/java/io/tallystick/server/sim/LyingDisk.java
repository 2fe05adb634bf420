package io.tallystick.server.sim;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.testkit.fault.ForwardingDisk;
import io.tallystick.testkit.fault.ForwardingFile;
import java.io.IOException;
import java.util.function.Predicate;

/// A disk that says it forced some of its files and did not, as some do.
final class LyingDisk extends ForwardingDisk {
  private final Predicate<String> about;

  /// @param about names of the files that are not forced
  LyingDisk(Disk disk, Predicate<String> about) {
    super(disk);
    this.about = about;
  }

  @Override
  public DiskFile open(String name) throws IOException {
    DiskFile file = super.open(name);
    return about.test(name) ? new LyingFile(file) : file;
  }

  private static final class LyingFile extends ForwardingFile {
    LyingFile(DiskFile file) {
      super(file);
    }

    @Override
    public void force() {}
  }
}
