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

  private ByteBuffer content() throws IOException {
    if (!disk.exists(FILE)) {
      return ByteBuffer.allocate(0);
    }
    try (DiskFile file = disk.open(FILE)) {
      ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
      file.read(0, bytes);
      return bytes.flip();
    }
  }

  @Override
  public List<PublishedSavepoint> read() throws IOException, CorruptStreamException {
    ByteBuffer content = content();
    if (!content.hasRemaining()) {
      return List.of();
    }
    try {
      byte[] all = content.array();
      return PublishedSavepoint.decode(Bytes.copyOf(all, Long.BYTES, all.length - Long.BYTES));
    } catch (MalformedException e) {
      throw new CorruptStreamException(FILE, 0, String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public void publish(long of, List<PublishedSavepoint> newestFirst) throws IOException {
    ByteBuffer content = content();
    if (of != epoch || (content.hasRemaining() && content.getLong(0) > of)) {
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
