package io.tallystick.storage.accumulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.Digest;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A disk that holds the stored levels of a tree of equal leaves and needs no room for them: every
/// row of level L is the same hash. Writes are checked against it. What the accumulator does not
/// need is refused.
final class UniformDisk implements Disk {
  private final List<Digest> hashByLevel;
  private final Map<String, Long> sizes = new HashMap<>();
  private long lastReadPosition;

  UniformDisk(List<Digest> hashByLevel) {
    this.hashByLevel = hashByLevel;
  }

  void setSize(String name, long size) {
    sizes.put(name, size);
  }

  long size(String name) {
    return sizes.getOrDefault(name, 0L);
  }

  /// Since equal rows cannot tell where they were read.
  long lastReadPosition() {
    return lastReadPosition;
  }

  @Override
  public DiskFile open(String name) {
    String level = name.substring(name.length() - "00.arr".length(), name.length() - 4);
    return new UniformFile(name, hashByLevel.get(Integer.parseInt(level)));
  }

  private final class UniformFile implements DiskFile {
    private final String name;
    private final byte[] row;

    private UniformFile(String name, Digest row) {
      this.name = name;
      this.row = row.toArray();
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public long size() {
      return UniformDisk.this.size(name);
    }

    @Override
    public int read(long position, ByteBuffer into) {
      lastReadPosition = position;
      int count = Math.clamp(size() - position, 0, into.remaining());
      for (int i = 0; i < count; i++) {
        into.put(row[(int) ((position + i) % Digest.BYTES)]);
      }
      return count;
    }

    @Override
    public void write(long position, ByteBuffer from) {
      assertThat(position).as("no hole").isLessThanOrEqualTo(size());
      long end = position + from.remaining();
      for (long at = position; from.hasRemaining(); at++) {
        assertThat(from.get()).isEqualTo(row[(int) (at % Digest.BYTES)]);
      }
      setSize(name, Math.max(size(), end));
    }

    @Override
    public void force() {}

    @Override
    public void truncate(long size) {
      setSize(name, Math.min(size(), size));
    }

    @Override
    public void allocate(long size) {
      throw new AssertionError("arrays do not allocate");
    }

    @Override
    public void close() {}
  }

  @Override
  public boolean exists(String name) {
    return sizes.containsKey(name);
  }

  @Override
  public List<String> list(String directory) {
    throw new AssertionError("arrays do not list");
  }

  @Override
  public void rename(String from, String to) {
    throw new AssertionError("arrays do not rename");
  }

  @Override
  public void delete(String name) {
    throw new AssertionError("arrays do not delete");
  }

  @Override
  public void forceDirectory(String directory) {}

  @Override
  public long freeBytes() {
    return Long.MAX_VALUE;
  }

  @Override
  public void close() {}
}
