package io.tallystick.storage.page;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/// Slots for nodes, of four sizes, in files of their own. A savepoint writes new slots and gives
/// old ones up; it makes a new version. What a version gave up is kept for the versions before it:
/// for the last 64, as long as that takes no more than half the space of what is in use, and for as
/// long as a reader pins one of them. A slot that is free again is written by a later savepoint
/// only, so the last durable savepoint always finds its nodes.
///
/// One owner thread adds, frees and saves; any thread reads and pins. Source: ENGINE "ccMPT", "Page
/// rule"; `docs/formats/slots.md`.
public final class SlotStore implements AutoCloseable {
  /// The most bytes a slot holds.
  public static final int SLOT_BYTES_MAX = SlotClass.FULL.bytes();

  private static final int FORMAT = 1;

  private final SlotLimits limits;
  private final SlotKeys keys;
  private final SlotFile[] files;
  private final FreeMap[] maps;
  private final Deque<Freed> kept = new ArrayDeque<>();
  private final NavigableMap<Long, Integer> pins = new TreeMap<>(); // guarded by itself
  private long[] freed = new long[64];
  private int freedCount;
  private long keptBytes;
  private long writtenBytes;
  private volatile long version;
  private volatile long newestReleased;

  /// What a version gave up.
  private record Freed(long version, int count, long bytes) {}

  private SlotStore(Disk disk, String name, SlotLimits limits) {
    this.limits = limits;
    this.keys = SlotKeys.of(name);
    SlotClass[] sizes = SlotClass.values();
    this.files = new SlotFile[sizes.length];
    this.maps = new FreeMap[sizes.length];
    for (SlotClass size : sizes) {
      files[size.code()] = new SlotFile(disk, name, size);
      maps[size.code()] = new FreeMap();
    }
  }

  /// Opens a store as the last savepoint left it; empty if there was none.
  ///
  /// @param name of its directory and its rows
  /// @throws CorruptStreamException if a file is shorter than recorded, or a row does not decode
  public static SlotStore restore(Disk disk, MetaStore meta, String name, SlotLimits limits)
      throws IOException, CorruptStreamException {
    SlotStore store = new SlotStore(disk, name, limits);
    Bytes head = meta.get(store.keys.head());
    if (head == null) {
      return store;
    }
    try {
      store.restore(meta, head);
      return store;
    } catch (MalformedException e) {
      store.close();
      throw new CorruptStreamException("slots of " + name, 0, String.valueOf(e.getMessage()));
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      store.close();
      throw e;
    }
  }

  private void restore(MetaStore meta, Bytes head)
      throws IOException, CorruptStreamException, MalformedException {
    CborReader in = new CborReader(head);
    in.array("slots head", 3 + maps.length);
    long format = in.uint();
    if (format != FORMAT) {
      throw new MalformedException("format " + format + ", want " + FORMAT);
    }
    version = in.uint();
    newestReleased = in.uint();
    restoreMaps(meta);
    for (int i = 0; i < maps.length; i++) {
      long slots = in.uint();
      if (!maps[i].restored(slots)) {
        throw new MalformedException("slots in use beyond the " + slots + " there are");
      }
      if (slots > 0) {
        files[i].open(slots);
      }
    }
    in.end();
    restoreFreed(meta);
  }

  private void restoreMaps(MetaStore meta) throws IOException {
    Bytes prefix = keys.freeMaps();
    meta.scan(
        prefix,
        null,
        (key, row) -> {
          ByteBuffer rest = ByteBuffer.wrap(key.unsafeArray()).position(prefix.size());
          maps[rest.get()].restore(rest.getInt(), row.unsafeArray());
          return true;
        });
  }

  private void restoreFreed(MetaStore meta) throws IOException, MalformedException {
    NavigableMap<Long, Bytes> rows = new TreeMap<>();
    Bytes prefix = keys.freedOfAll();
    meta.scan(
        prefix,
        null,
        (key, row) -> {
          rows.put(ByteBuffer.wrap(key.unsafeArray()).getLong(prefix.size()), row);
          return true;
        });
    for (Map.Entry<Long, Bytes> row : rows.entrySet()) {
      keep(row.getKey(), FreedSlots.decode(row.getValue()));
    }
  }

  private void keep(long ofVersion, long[] addresses) {
    long bytes = 0;
    for (long address : addresses) {
      bytes += SlotClass.of(address).bytes();
    }
    kept.add(new Freed(ofVersion, addresses.length, bytes));
    keptBytes += bytes;
  }

  /// Number of the last savepoint; what is in memory only belongs to the next.
  public long version() {
    return version;
  }

  /// Bytes of the files.
  public long fileBytes() {
    return bytes(true);
  }

  /// Bytes of the slots written since the store was opened.
  public long writtenBytes() {
    return writtenBytes;
  }

  /// Bytes of the slots that the newest version uses.
  public long liveBytes() {
    return bytes(false) - keptBytes;
  }

  private long bytes(boolean all) {
    long bytes = 0;
    for (SlotClass size : SlotClass.values()) {
      FreeMap map = maps[size.code()];
      bytes += size.offset(all ? map.slots() : map.used());
    }
    return bytes;
  }

  /// Takes a free slot for so many bytes, at most {@link #SLOT_BYTES_MAX}. For the owner, within a
  /// savepoint.
  ///
  /// @return its address, below 2^48, to be written at once
  public long next(int count) {
    SlotClass size = SlotClass.holding(count);
    return size.address(maps[size.code()].take());
  }

  /// Fills the slot taken last: a reader gets zeros behind `count` bytes.
  public void write(long address, byte[] bytes, int count) throws IOException {
    SlotClass size = SlotClass.of(address);
    files[size.code()].write(SlotClass.number(address), bytes, count);
    writtenBytes += size.bytes();
  }

  /// The next version does without a slot. For the owner.
  public void free(long address) {
    if (freedCount == freed.length) {
      freed = Arrays.copyOf(freed, 2 * freedCount);
    }
    freed[freedCount++] = address;
  }

  /// Reads a slot. Any thread that pins a version with it.
  ///
  /// @param into at least {@link #SLOT_BYTES_MAX} bytes
  /// @return the bytes of the slot
  public int read(long address, byte[] into) throws IOException, CorruptStreamException {
    SlotClass size = SlotClass.of(address);
    files[size.code()].read(SlotClass.number(address), into);
    return size.bytes();
  }

  /// Where a slot lies, for who finds it damaged.
  public CorruptStreamException damage(long address, String what) {
    SlotClass size = SlotClass.of(address);
    return new CorruptStreamException(
        files[size.code()].name(), size.offset(SlotClass.number(address)), what);
  }

  /// Keeps the slots of a version from being written over, until it is {@link #unpin unpinned}.
  ///
  /// @return whether they still are what they were
  public boolean pin(long ofVersion) {
    synchronized (pins) {
      pins.merge(ofVersion, 1, Integer::sum);
      if (newestReleased <= ofVersion) {
        return true;
      }
    }
    unpin(ofVersion);
    return false;
  }

  public void unpin(long ofVersion) {
    synchronized (pins) {
      pins.computeIfPresent(ofVersion, (_, count) -> count == 1 ? null : count - 1);
    }
  }

  /// Forces what was added and puts into `batch` what a restore needs. For the owner, after the
  /// batches of earlier savepoints were written.
  public void savepoint(MetaBatch batch, MetaStore meta)
      throws IOException, CorruptStreamException {
    for (SlotFile file : files) {
      file.force();
    }
    long next = version + 1;
    if (freedCount > 0) {
      long[] addresses = Arrays.copyOf(freed, freedCount);
      freedCount = 0;
      keep(next, addresses);
      batch.put(keys.freed(next), FreedSlots.encode(addresses));
    }
    release(next, batch, meta);
    CborWriter head = new CborWriter().array(3 + maps.length);
    head.uint(FORMAT).uint(next).uint(newestReleased);
    for (SlotClass size : SlotClass.values()) {
      FreeMap map = maps[size.code()];
      head.uint(map.slots());
      for (int row : map.takeChangedRows()) {
        batch.put(keys.freeMap(size, row), Bytes.wrap(map.row(row)));
      }
    }
    batch.put(keys.head(), head.toBytes());
    version = next;
  }

  /// Frees the slots of the oldest versions kept. They are written again by the next savepoint at
  /// the earliest, when this one is durable.
  private void release(long next, MetaBatch batch, MetaStore meta)
      throws IOException, CorruptStreamException {
    while (!kept.isEmpty() && mayRelease(kept.getFirst(), next)) {
      Freed oldest = kept.removeFirst();
      keptBytes -= oldest.bytes();
      for (long address : addresses(meta, oldest.version())) {
        SlotClass size = SlotClass.of(address);
        if (!maps[size.code()].release(SlotClass.number(address))) {
          throw damage(address, "slot is free, but version " + oldest.version() + " gave it up");
        }
      }
      batch.delete(keys.freed(oldest.version()));
    }
  }

  private long[] addresses(MetaStore meta, long ofVersion)
      throws IOException, CorruptStreamException {
    Bytes row = meta.get(keys.freed(ofVersion));
    try {
      if (row == null) {
        throw new MalformedException("row is missing");
      }
      return FreedSlots.decode(row);
    } catch (MalformedException e) {
      throw new CorruptStreamException("slots given up", ofVersion, String.valueOf(e.getMessage()));
    }
  }

  private boolean mayRelease(Freed oldest, long next) {
    if (oldest.version() == next) {
      return false; // whoever reads the version before may be about to pin it
    }
    boolean tooOld = oldest.version() <= next - limits.versionsKept();
    boolean tooMany = keptBytes > Math.max(limits.keptBytesMin(), liveBytes() / 2);
    if (!tooOld && !tooMany) {
      return false;
    }
    synchronized (pins) {
      if (!pins.isEmpty() && pins.firstKey() < oldest.version()) {
        return false;
      }
      newestReleased = oldest.version(); // nobody pins what is before it from now on
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    for (SlotFile file : files) {
      file.close();
    }
  }
}
