package io.tallystick.testkit.fault;

import io.tallystick.storage.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;

/// An open file of an {@link InMemoryDisk}.
final class InMemoryFile implements DiskFile {
  private final String name;
  private final FileBytes bytes;
  private volatile boolean closed;

  InMemoryFile(String name, FileBytes bytes) {
    this.name = name;
    this.bytes = bytes;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public long size() throws IOException {
    requireOpen();
    return bytes.size();
  }

  @Override
  public int read(long position, ByteBuffer into) throws IOException {
    requireOpen();
    return bytes.read(position, into);
  }

  @Override
  public void write(long position, ByteBuffer from) throws IOException {
    requireOpen();
    byte[] copy = new byte[from.remaining()];
    from.get(copy);
    bytes.write(position, copy);
  }

  @Override
  public void force() throws IOException {
    requireOpen();
  }

  @Override
  public void truncate(long size) throws IOException {
    requireOpen();
    bytes.truncate(size);
  }

  @Override
  public void allocate(long size) throws IOException {
    requireOpen();
    bytes.grow(size);
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
