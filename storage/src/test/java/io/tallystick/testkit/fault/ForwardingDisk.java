package io.tallystick.testkit.fault;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import java.io.IOException;
import java.util.List;

/// Does what another disk does; a faulty one changes what it says is faulty.
public abstract class ForwardingDisk implements Disk {
  private final Disk disk;

  protected ForwardingDisk(Disk disk) {
    this.disk = disk;
  }

  @Override
  public DiskFile open(String name) throws IOException {
    return disk.open(name);
  }

  @Override
  public boolean exists(String name) throws IOException {
    return disk.exists(name);
  }

  @Override
  public List<String> list(String directory) throws IOException {
    return disk.list(directory);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    disk.rename(from, to);
  }

  @Override
  public void delete(String name) throws IOException {
    disk.delete(name);
  }

  @Override
  public void forceDirectory(String directory) throws IOException {
    disk.forceDirectory(directory);
  }

  @Override
  public long freeBytes() throws IOException {
    return disk.freeBytes();
  }

  @Override
  public void close() throws IOException {
    disk.close();
  }
}
