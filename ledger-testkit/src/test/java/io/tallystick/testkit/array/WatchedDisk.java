package io.tallystick.testkit.array;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.testkit.fault.InMemoryDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// A disk in memory that tells how many files are open and what was done to them, and whose forces
/// fail when asked to.
final class WatchedDisk implements Disk {
  private final InMemoryDisk disk = new InMemoryDisk();
  private final AtomicInteger open = new AtomicInteger();

  /// `force NAME` and `close NAME`, in order.
  final List<String> events = new ArrayList<>();

  boolean forcesFail;

  int openCount() {
    return open.get();
  }

  @Override
  public DiskFile open(String name) {
    open.incrementAndGet();
    return new WatchedFile(disk.open(name));
  }

  private final class WatchedFile implements DiskFile {
    private final DiskFile file;

    private WatchedFile(DiskFile file) {
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
      if (forcesFail) {
        throw new IOException("the force fails");
      }
      events.add("force " + name());
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
      open.decrementAndGet();
      events.add("close " + name());
      file.close();
    }
  }

  @Override
  public boolean exists(String name) {
    return disk.exists(name);
  }

  @Override
  public List<String> list(String directory) {
    return disk.list(directory);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    disk.rename(from, to);
  }

  @Override
  public void delete(String name) {
    disk.delete(name);
  }

  @Override
  public void forceDirectory(String directory) {
    disk.forceDirectory(directory);
  }

  @Override
  public long freeBytes() {
    return disk.freeBytes();
  }

  @Override
  public void close() {
    disk.close();
  }
}
