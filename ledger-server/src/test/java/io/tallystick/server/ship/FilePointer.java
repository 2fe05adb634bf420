package io.tallystick.server.ship;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamFencedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// A pointer in a file: the epoch of its writer, and what it names. Pins are in memory.
public final class FilePointer implements SavepointPointer {
  private static final String FILE = "pointer";
  private static final String NEW = "pointer.new";

  private final Disk disk;
  private final List<PublishedSavepoint> pins = new CopyOnWriteArrayList<>();
  private long epoch = 1;

  public FilePointer(Disk disk) {
    this.disk = disk;
  }

  /// The claim of whoever uses this object.
  public void claim(long claimed) {
    epoch = claimed;
  }

  @Override
  public long epoch() {
    return epoch;
  }

  private byte[] content() throws IOException {
    if (!disk.exists(FILE)) {
      return new byte[0];
    }
    try (DiskFile file = disk.open(FILE)) {
      byte[] bytes = new byte[(int) file.size()];
      file.read(0, ByteBuffer.wrap(bytes));
      return bytes;
    }
  }

  @Override
  public List<PublishedSavepoint> read() throws IOException, CorruptStreamException {
    byte[] all = content();
    if (all.length == 0) {
      return List.of();
    }
    try {
      return PublishedSavepoint.decode(Bytes.copyOf(all, Long.BYTES, all.length - Long.BYTES));
    } catch (MalformedException e) {
      throw new CorruptStreamException(FILE, 0, String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public void publish(long of, List<PublishedSavepoint> newestFirst) throws IOException {
    byte[] before = content();
    if (of != epoch || (before.length > 0 && ByteBuffer.wrap(before).getLong() > of)) {
      throw new StreamFencedException("another has claimed the shard");
    }
    byte[] value = PublishedSavepoint.encode(newestFirst).toArray();
    disk.delete(NEW);
    try (DiskFile file = disk.open(NEW)) {
      file.write(0, ByteBuffer.allocate(Long.BYTES + value.length).putLong(of).put(value).flip());
      file.force();
    }
    disk.rename(NEW, FILE);
    disk.forceDirectory("");
  }

  @Override
  public Pin pin(PublishedSavepoint savepoint) {
    pins.add(savepoint);
    return () -> pins.remove(savepoint);
  }

  @Override
  public List<PublishedSavepoint> pinned() {
    return List.copyOf(pins);
  }
}
