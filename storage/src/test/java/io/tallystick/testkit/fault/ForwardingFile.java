package io.tallystick.testkit.fault;

import io.tallystick.storage.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/// Does what another file does; see {@link ForwardingDisk}.
public abstract class ForwardingFile implements DiskFile {
  private final DiskFile file;

  protected ForwardingFile(DiskFile file) {
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
