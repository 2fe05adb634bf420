package io.tallystick.cli;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.disk.DiskFullException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/// A disk on which a force fails when the controls say so, and which has no room for growth while
/// they say that.
///
/// @param disk the real one
record FaultyDisk(Disk disk, Controls controls) implements Disk {
  @Override
  public DiskFile open(String name) throws IOException {
    return new FaultyFile(disk.open(name), controls);
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
    return controls.hasSpace() ? disk.freeBytes() : 0;
  }

  @Override
  public void close() throws IOException {
    disk.close();
  }

  /// @param file the real one
  private record FaultyFile(DiskFile file, Controls controls) implements DiskFile {
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
      requireSpace(position + from.remaining());
      file.write(position, from);
    }

    @Override
    public void force() throws IOException {
      if (name().endsWith(".seg") && controls.takeForceFailure()) {
        throw new IOException("Input/output error (injected)");
      }
      file.force();
    }

    @Override
    public void truncate(long size) throws IOException {
      file.truncate(size);
    }

    @Override
    public void allocate(long size) throws IOException {
      requireSpace(size);
      file.allocate(size);
    }

    private void requireSpace(long end) throws IOException {
      if (end > file.size() && !controls.hasSpace()) {
        throw new DiskFullException("no room for " + name() + " (injected)");
      }
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
