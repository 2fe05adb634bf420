package io.tallystick.testkit.fault;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/// A disk as a process sees it that is killed: what it changed before stays, and after its {@link
/// CrashPlan} fired it changes nothing more.
public final class DyingDisk extends ForwardingDisk {
  private final CrashPlan plan;

  public DyingDisk(Disk disk, CrashPlan plan) {
    super(disk);
    this.plan = plan;
  }

  private void begin() throws IOException {
    var _ = plan.begin(false, false);
    plan.requireRunning();
  }

  @Override
  public DiskFile open(String name) throws IOException {
    plan.requireRunning();
    return new DyingFile(super.open(name));
  }

  @Override
  public void rename(String from, String to) throws IOException {
    begin();
    super.rename(from, to);
  }

  @Override
  public void delete(String name) throws IOException {
    begin();
    super.delete(name);
  }

  @Override
  public void forceDirectory(String directory) throws IOException {
    begin();
    super.forceDirectory(directory);
  }

  private final class DyingFile extends ForwardingFile {
    DyingFile(DiskFile file) {
      super(file);
    }

    @Override
    public void write(long position, ByteBuffer from) throws IOException {
      begin();
      super.write(position, from);
    }

    @Override
    public void force() throws IOException {
      begin();
      super.force();
    }

    @Override
    public void truncate(long size) throws IOException {
      begin();
      super.truncate(size);
    }

    @Override
    public void allocate(long size) throws IOException {
      begin();
      super.allocate(size);
    }
  }
}
