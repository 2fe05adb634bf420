package io.tallystick.testkit.fault;

import io.tallystick.storage.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;

/// An open file of a {@link CrashingDisk}.
final class CrashingFile implements DiskFile {
  private final String name;
  private final Inode inode;
  private final CrashingDisk disk;
  private volatile boolean closed;

  CrashingFile(String name, Inode inode, CrashingDisk disk) {
    this.name = name;
    this.inode = inode;
    this.disk = disk;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public long size() throws IOException {
    requireOpen();
    return disk.size(inode);
  }

  @Override
  public int read(long position, ByteBuffer into) throws IOException {
    requireOpen();
    return disk.read(inode, position, into);
  }

  @Override
  public void write(long position, ByteBuffer from) throws IOException {
    requireOpen();
    byte[] bytes = new byte[from.remaining()];
    from.get(bytes);
    disk.write(inode, position, bytes);
  }

  @Override
  public void force() throws IOException {
    requireOpen();
    disk.force(inode);
  }

  @Override
  public void truncate(long size) throws IOException {
    requireOpen();
    disk.truncate(inode, size);
  }

  @Override
  public void allocate(long size) throws IOException {
    requireOpen();
    disk.allocate(inode, size);
  }

  @Override
  public void close() {
    closed = true;
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new ClosedChannelException();
    }
  }
}
