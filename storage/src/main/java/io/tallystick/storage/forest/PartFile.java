package io.tallystick.storage.forest;

import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StoredBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The file of a closed partition: its nodes in order, and a filter over its keys, which is in
/// memory from its first use on. It never changes. Thread-safe.
final class PartFile implements PageSource, AutoCloseable {
  private static final int READ_BYTES = 4096; // holds most nodes
  private static final int RETIRED = -1;

  private final long id;
  private final DiskFile file;
  private final long serial;
  private final byte[] header;
  private final long filterAt;
  private final long filterBytes;
  private final AtomicInteger readers = new AtomicInteger();
  private volatile @Nullable KeyFilter filter;

  private PartFile(long id, DiskFile file, long serial, byte[] header, ByteBuffer trailer) {
    this.id = id;
    this.file = file;
    this.serial = serial;
    this.header = header;
    this.filterAt = trailer.getLong(Integer.BYTES);
    this.filterBytes = trailer.getLong(Integer.BYTES + Long.BYTES);
  }

  /// @param id tells its addresses from those of other sources
  /// @throws CorruptStreamException if it is not there, or not whole
  static PartFile open(Disk disk, StrandId strand, long number, long serial, long id)
      throws IOException, CorruptStreamException {
    String name = PartFormat.name(strand, number, serial);
    if (!disk.exists(name)) {
      throw new CorruptStreamException(name, 0, "file of a closed partition is missing");
    }
    DiskFile file = disk.open(name);
    boolean done = false;
    try {
      byte[] header = PartFormat.header(strand, number, serial);
      byte[] found = StoredBytes.read(file, 0, PartFormat.HEADER_BYTES);
      if (!Arrays.equals(header, found)) {
        throw new CorruptStreamException(name, 0, "header is another file's");
      }
      long at = file.size() - PartFormat.TRAILER_BYTES;
      byte[] trailer = StoredBytes.read(file, Math.max(0, at), PartFormat.TRAILER_BYTES);
      ByteBuffer fields = ByteBuffer.wrap(trailer);
      if (fields.getInt(0) != PartFormat.checksum(header, at, trailer, trailer.length)) {
        throw new CorruptStreamException(name, at, "checksum of the trailer is wrong");
      }
      PartFile part = new PartFile(id, file, serial, header, fields);
      if (part.filterAt < PartFormat.HEADER_BYTES
          || part.filterBytes < 0
          || part.bytes() != file.size()) {
        throw new CorruptStreamException(
            name,
            at,
            String.format(
                Locale.ROOT,
                "a filter of %d bytes at %d does not fit",
                part.filterBytes,
                part.filterAt));
      }
      done = true;
      return part;
    } finally {
      if (!done) {
        file.close();
      }
    }
  }

  /// Tells its name from those of other files of the partition.
  long serial() {
    return serial;
  }

  /// Bytes of the file.
  long bytes() {
    return filterAt + PartFormat.BLOCK_HEAD_BYTES + filterBytes + PartFormat.TRAILER_BYTES;
  }

  String name() {
    return file.name();
  }

  @Override
  public long id() {
    return id;
  }

  @Override
  public boolean mayHold(SoughtKey key) throws IOException, CorruptStreamException {
    KeyFilter known = filter;
    if (known == null) {
      known = readFilter();
      filter = known;
    }
    return known.mayHold(key.hash());
  }

  private KeyFilter readFilter() throws IOException, CorruptStreamException {
    byte[] block = block(filterAt, filterBytes);
    try {
      if ((block[Integer.BYTES] & 0xff) != PartFormat.FILTER
          || block.length != PartFormat.BLOCK_HEAD_BYTES + filterBytes) {
        throw new MalformedException("no filter of " + filterBytes + " bytes");
      }
      return KeyFilter.decode(Arrays.copyOfRange(block, PartFormat.BLOCK_HEAD_BYTES, block.length));
    } catch (MalformedException e) {
      throw new CorruptStreamException(name(), filterAt, "filter: " + e.getMessage(), e);
    }
  }

  @Override
  public ForestPage read(long address) throws IOException, CorruptStreamException {
    byte[] block = block(address, SlotPages.IMAGE_BYTES_MAX);
    int level = block[Integer.BYTES] & 0xff;
    byte[] image = Arrays.copyOfRange(block, PartFormat.BLOCK_HEAD_BYTES, block.length);
    try {
      return level == 0 ? LeafPage.of(image) : InnerPage.of(level, image);
    } catch (MalformedException e) {
      throw new CorruptStreamException(name(), address, "node: " + e.getMessage(), e);
    }
  }

  /// A block with its head, as its checksum vouches for it. No more is read than it may have: a
  /// damaged length takes no memory.
  private byte[] block(long at, long imageBytesMax) throws IOException, CorruptStreamException {
    long left = filterAt + PartFormat.BLOCK_HEAD_BYTES + filterBytes - at;
    long most = Math.min(left, PartFormat.BLOCK_HEAD_BYTES + imageBytesMax);
    if (at < PartFormat.HEADER_BYTES || most < PartFormat.BLOCK_HEAD_BYTES) {
      throw damage(at, "no block begins there");
    }
    byte[] some = StoredBytes.read(file, at, (int) Math.min(most, READ_BYTES));
    long bytes = PartFormat.BLOCK_HEAD_BYTES + (ByteBuffer.wrap(some).getInt(5) & 0xffffffffL);
    if (bytes > most) {
      throw damage(at, String.format(Locale.ROOT, "block of %d bytes, at most %d", bytes, most));
    }
    byte[] block = bytes > some.length ? StoredBytes.read(file, at, Math.toIntExact(bytes)) : some;
    if (ByteBuffer.wrap(block).getInt(0) != PartFormat.checksum(header, at, block, (int) bytes)) {
      throw damage(at, "checksum of the block is wrong");
    }
    return Arrays.copyOf(block, (int) bytes);
  }

  @Override
  public boolean retain() {
    return readers.updateAndGet(count -> count == RETIRED ? RETIRED : count + 1) != RETIRED;
  }

  @Override
  public void release() {
    readers.decrementAndGet();
  }

  /// Closes the file, if nobody reads it. Nobody can read it then. For the owner.
  ///
  /// @return whether it is closed, and may be deleted
  boolean retire() throws IOException {
    if (readers.get() == RETIRED) {
      return true; // closing it has failed
    }
    if (!readers.compareAndSet(0, RETIRED)) {
      return false;
    }
    file.close();
    return true;
  }

  @Override
  public CorruptStreamException damage(long address, String what) {
    return new CorruptStreamException(name(), address, what);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
