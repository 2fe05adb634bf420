package io.tallystick.storage.disk;

import io.tallystick.storage.disk.DiskOperation.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/// Does what another disk does and tells what it has been waiting for longest. Zeros laid ahead and
/// holes are left out: they may take long on a disk that works.
public final class WatchedDisk implements Disk {
  private final Disk disk;
  private final DiskOperations operations = new DiskOperations();

  /// @param disk closed with this
  public WatchedDisk(Disk disk) {
    this.disk = disk;
  }

  /// For what lies on the same disk and is not reached through this.
  public DiskOperations operations() {
    return operations;
  }

  @Override
  public Optional<DiskOperation> oldestOperation() {
    return operations.oldest();
  }

  @Override
  public DiskFile open(String name) throws IOException {
    try (var _ = operations.begin(Kind.OPEN, name)) {
      return new WatchedFile(disk.open(name));
    }
  }

  @Override
  public Optional<DiskFile> openIfThere(String name) throws IOException {
    try (var _ = operations.begin(Kind.OPEN, name)) {
      return disk.openIfThere(name).map(WatchedFile::new);
    }
  }

  @Override
  public boolean exists(String name) throws IOException {
    try (var _ = operations.begin(Kind.OPEN, name)) {
      return disk.exists(name);
    }
  }

  @Override
  public List<String> list(String directory) throws IOException {
    try (var _ = operations.begin(Kind.OPEN, directory)) {
      return disk.list(directory);
    }
  }

  @Override
  public void rename(String from, String to) throws IOException {
    try (var _ = operations.begin(Kind.RENAME, from)) {
      disk.rename(from, to);
    }
  }

  @Override
  public void delete(String name) throws IOException {
    try (var _ = operations.begin(Kind.DELETE, name)) {
      disk.delete(name);
    }
  }

  @Override
  public void forceDirectory(String directory) throws IOException {
    try (var _ = operations.begin(Kind.FORCE_DIRECTORY, directory)) {
      disk.forceDirectory(directory);
    }
  }

  @Override
  public long freeBytes() throws IOException {
    return disk.freeBytes();
  }

  @Override
  public void probe() throws IOException {
    try (var _ = operations.begin(Kind.WRITE, "a probe")) {
      disk.probe();
    }
  }

  @Override
  public void close() throws IOException {
    disk.close();
  }

  private final class WatchedFile implements DiskFile {
    private final DiskFile file;

    WatchedFile(DiskFile file) {
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
      try (var _ = operations.begin(Kind.READ, file.name())) {
        return file.read(position, into);
      }
    }

    @Override
    public void write(long position, ByteBuffer from) throws IOException {
      try (var _ = operations.begin(Kind.WRITE, file.name())) {
        file.write(position, from);
      }
    }

    @Override
    public void force() throws IOException {
      try (var _ = operations.begin(Kind.FORCE, file.name())) {
        file.force();
      }
    }

    @Override
    public void truncate(long size) throws IOException {
      try (var _ = operations.begin(Kind.TRUNCATE, file.name())) {
        file.truncate(size);
      }
    }

    @Override
    public void allocate(long size) throws IOException {
      file.allocate(size);
    }

    @Override
    public void punch(long position, long bytes) throws IOException {
      file.punch(position, bytes);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
