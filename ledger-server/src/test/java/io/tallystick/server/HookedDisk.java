package io.tallystick.server;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/// A disk on which a test may hold up or fail a force, and the question for free space.
final class HookedDisk implements Disk {
  /// Runs before the real thing.
  @FunctionalInterface
  interface Hook {
    void run() throws IOException;
  }

  private final Disk disk;
  volatile Hook onForce = () -> {};
  volatile Hook onFreeBytes = () -> {};
  volatile long freeBytesMax = Long.MAX_VALUE;

  HookedDisk(Disk disk) {
    this.disk = disk;
  }

  @Override
  public DiskFile open(String name) throws IOException {
    return new HookedFile(disk.open(name));
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
    onFreeBytes.run();
    return Math.min(disk.freeBytes(), freeBytesMax);
  }

  @Override
  public void close() throws IOException {
    disk.close();
  }

  private final class HookedFile implements DiskFile {
    private final DiskFile file;

    HookedFile(DiskFile file) {
      this.file = file;
    }

    @Override
    public String name() {
      return file.name();
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public int read(long position, ByteBuffer into) throws IOException {
      return file.read(position, into);
    }

    @Override
    public void write(long position, ByteBuffer from) throws IOException {
      file.write(position, from);
    }

    @Override
    public void force() throws IOException {
      onForce.run();
      file.force();
    }

    @Override
    public void truncate(long size) throws IOException {
      file.truncate(size);
    }

    @Override
    public void allocate(long size) throws IOException {
      file.allocate(size);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
