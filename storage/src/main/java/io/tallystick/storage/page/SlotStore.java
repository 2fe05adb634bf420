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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/// Slots for nodes, of four sizes, in files of their own. A savepoint writes new slots and gives
/// old ones up; it makes a new version. What a version {@link #free gave up} is kept for the last
/// 64 versions before it, in no more than half the space of what is in use, and while a reader pins
/// one. What is {@link #release released} goes with the next savepoint. A slot that is free again
/// is written by a later savepoint only, so the last durable savepoint always finds its nodes.
///
/// One owner thread adds, frees and saves; any thread reads and pins. Source: ENGINE "ccMPT", "Page
/// rule"; `docs/formats/slots.md`.
public final class SlotStore implements AutoCloseable {
  private static final int FORMAT = 1;

  private final String name;
  private final SlotSizes sizes;
  private final SlotLimits limits;
  private final SlotKeys keys;
  private final SlotFile[] files;
  private final FreeMap[] maps;
  private final Deque<Freed> kept = new ArrayDeque<>();
  private final SlotPins pins = new SlotPins();
  private long[] freed = new long[64];
  private int freedCount;
  private final ReleasedSlots released;
  private long keptBytes;
  private long writtenBytes;
  private boolean failed;
  private volatile long version;

  /// The slots that a version gave up.
  private record Freed(long version, int count, long bytes) {}

  private SlotStore(Disk disk, String name, SlotSizes sizes, SlotLimits limits) {
    this.name = name;
    this.sizes = sizes;
    this.limits = limits;
    this.keys = SlotKeys.of(name);
    this.files = new SlotFile[sizes.count()];
    this.maps = new FreeMap[sizes.count()];
    for (int code = 0; code < sizes.count(); code++) {
      files[code] = new SlotFile(disk, name, sizes.bytes(code));
      maps[code] = new FreeMap();
    }
    this.released = new ReleasedSlots(sizes, files, maps);
  }

  /// Opens a store as the last savepoint left it; empty if there was none.
  ///
  /// @param name of its directory and its rows
  /// @throws CorruptStreamException if a file is shorter than recorded, or a row does not decode
  public static SlotStore restore(
      Disk disk, MetaStore meta, String name, SlotSizes sizes, SlotLimits limits)
      throws IOException, CorruptStreamException {
    SlotStore store = new SlotStore(disk, name, sizes, limits);
    Bytes head = meta.get(store.keys.head());
    if (head == null) {
      return store;
    }
    try {
      store.restore(meta, head);
      return store;
    } catch (MalformedException e) {
      store.close();
      throw new CorruptStreamException("slots head of " + name, 0, detail(e), e);
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      store.close();
      throw e;
    }
  }

  /// Whether a row of the meta store is of the slots of any store.
  public static boolean isRow(Bytes key) {
    return SlotKeys.isRow(key);
  }

  /// Makes a store that is not open empty with `batch`, whatever its rows are. Its files may go
  /// once the batch is written ({@link #deleteFiles}); until then they are what the old rows need.
  public static void erase(MetaStore meta, String name, MetaBatch batch) throws IOException {
    SlotKeys keys = SlotKeys.of(name);
    for (Bytes prefix : List.of(keys.head(), keys.freeMaps(), keys.freedOfAll())) {
      meta.scan(
          prefix,
          null,
          (key, _) -> {
            batch.delete(key);
            return true;
          });
    }
  }

  /// Deletes the files of a store that was {@link #erase erased}.
  public static void deleteFiles(Disk disk, String name, SlotSizes sizes) throws IOException {
    for (int code = 0; code < sizes.count(); code++) {
      disk.delete(SlotFile.name(name, sizes.bytes(code)));
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
    pins.restore(in.uint("newest released version", version));
    long[] slots = new long[maps.length];
    for (int i = 0; i < maps.length; i++) {
      slots[i] = in.uint("slots", SlotSizes.NUMBER_MAX + 1);
    }
    in.end();
    restoreMaps(meta, slots);
    for (int i = 0; i < maps.length; i++) {
      if (slots[i] > 0) {
        files[i].open(slots[i]);
      }
    }
    restoreFreed(meta);
  }

  private NavigableMap<Bytes, Bytes> rows(MetaStore meta, Bytes prefix) throws IOException {
    NavigableMap<Bytes, Bytes> rows = new TreeMap<>();
    meta.scan(
        prefix,
        null,
        (key, row) -> {
          rows.put(key, row);
          return true;
        });
    return rows;
  }

  /// @param slots that each class has
  private void restoreMaps(MetaStore meta, long[] slots)
      throws IOException, CorruptStreamException {
    Bytes prefix = keys.freeMaps();
    long[] found = new long[maps.length];
    for (Map.Entry<Bytes, Bytes> row : rows(meta, prefix).entrySet()) {
      try {
        int code = restoreMap(suffix(row.getKey(), prefix, SlotKeys.FREE_MAP_BYTES), row, slots);
        found[code]++;
      } catch (MalformedException e) {
        throw damagedRow(row.getKey(), e);
      }
    }
    for (int i = 0; i < maps.length; i++) {
      if (found[i] != FreeMap.rows(slots[i]) || !maps[i].restored(slots[i])) {
        throw new CorruptStreamException(
            "free map " + i + " of " + name,
            found[i],
            "rows are missing, or slots in use beyond the " + slots[i] + " there are");
      }
    }
  }

  /// @return code of the row's class
  private int restoreMap(ByteBuffer rest, Map.Entry<Bytes, Bytes> row, long[] slots)
      throws MalformedException {
    int code = rest.get() & 0xff;
    long number = rest.getInt() & 0xffffffffL;
    if (code >= maps.length || number >= FreeMap.rows(slots[code])) {
      throw new MalformedException(String.format(Locale.ROOT, "row %d of class %d", number, code));
    }
    maps[code].restore((int) number, row.getValue().unsafeArray());
    return code;
  }

  private static ByteBuffer suffix(Bytes key, Bytes prefix, int bytes) throws MalformedException {
    if (key.size() != prefix.size() + bytes) {
      throw new MalformedException("key of " + key.size() + " bytes");
    }
    return ByteBuffer.wrap(key.unsafeArray()).position(prefix.size());
  }

  private static CorruptStreamException damagedRow(Bytes key, MalformedException cause) {
    return new CorruptStreamException("row " + key.hex(), 0, detail(cause), cause);
  }

  private static String detail(MalformedException cause) {
    return String.valueOf(cause.getMessage());
  }

  private void restoreFreed(MetaStore meta) throws IOException, CorruptStreamException {
    Bytes prefix = keys.freedOfAll();
    for (Map.Entry<Bytes, Bytes> row : rows(meta, prefix).entrySet()) {
      try {
        long ofVersion = suffix(row.getKey(), prefix, Long.BYTES).getLong();
        if (ofVersion <= pins.newestReleased() || ofVersion > version) {
          throw new MalformedException(
              String.format(
                  Locale.ROOT,
                  "version %d, kept are those above %d to %d",
                  ofVersion,
                  pins.newestReleased(),
                  version));
        }
        keep(ofVersion, SlotList.decode(row.getValue()));
      } catch (MalformedException e) {
        throw damagedRow(row.getKey(), e);
      }
    }
  }

  private void keep(long ofVersion, SlotList addresses) {
    long bytes = addresses.bytes(sizes);
    kept.add(new Freed(ofVersion, addresses.size(), bytes));
    keptBytes += bytes;
  }

  public SlotSizes sizes() {
    return sizes;
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
    return bytes(false) - keptBytes - released.bytes();
  }

  private long bytes(boolean all) {
    long bytes = 0;
    for (int code = 0; code < maps.length; code++) {
      FreeMap map = maps[code];
      bytes += sizes.offset(code, all ? map.slots() : map.used());
    }
    return bytes;
  }

  /// Takes a free slot for so many bytes, at most {@link SlotSizes#bytesMax}. For the owner, within
  /// a savepoint.
  ///
  /// @return its address, below 2^48, to be written at once
  public long next(int count) {
    checkUsable();
    int code = sizes.holding(count);
    return SlotSizes.address(code, maps[code].take());
  }

  /// Fills the slot taken last: a reader gets zeros behind `count` bytes.
  public void write(long address, byte[] bytes, int count) throws IOException {
    checkUsable();
    failed = true; // until all of it is done
    files[SlotSizes.code(address)].write(SlotSizes.number(address), bytes, count);
    writtenBytes += sizes.bytesAt(address);
    failed = false;
  }

  /// The next version does without a slot. For the owner.
  public void free(long address) {
    checkUsable();
    if (freedCount == freed.length) {
      freed = Arrays.copyOf(freed, 2 * freedCount);
    }
    freed[freedCount++] = address;
  }

  /// Frees a slot at once that was taken since the last savepoint. No version had it, so no reader
  /// uses it. For the owner.
  public void giveBack(long address) throws CorruptStreamException {
    checkUsable();
    if (!maps[SlotSizes.code(address)].release(SlotSizes.number(address))) {
      throw damage(address, "slot is free, but is given back");
    }
  }

  /// The next savepoint has slots as free that no version needs any more, whoever kept them. They
  /// are taken again once {@link #saved} finds nobody who began to read before. For the owner, who
  /// never {@link #free}s them.
  ///
  /// @throws CorruptStreamException if one of them is free already
  public void release(SlotList slots) throws CorruptStreamException {
    checkUsable();
    long free = released.add(version + 1, slots);
    if (free >= 0) {
      throw damage(free, "slot is free, but is given up");
    }
  }

  /// The batch of the last savepoint was written. For the owner.
  public void saved() {
    released.free(oldestRead());
  }

  /// Whether all slots that were {@link #release}d before a version may be taken again: its batch
  /// is written, and nobody reads an older one.
  public boolean isFree(long ofVersion) {
    return released.isFree(ofVersion);
  }

  /// Makes slots that are free zeros, and gives room back to the file system. What is free in no
  /// durable savepoint stays. For the owner, after {@link #saved}.
  ///
  /// @param bytesMax about so many at most
  /// @return the bytes that were cleared; less than `bytesMax` if nothing is left to be cleared
  public long clearFree(long bytesMax) throws IOException {
    checkUsable();
    failed = true; // until all of it is done
    long bytes = released.clear(bytesMax);
    failed = false;
    return bytes;
  }

  /// Writes out what waits in memory: slots taken since the last savepoint can be read from now on.
  /// Nothing is durable by it. For the owner.
  public void flush() throws IOException {
    checkUsable();
    for (SlotFile file : files) {
      file.flush();
    }
  }

  /// Reads a slot. Any thread that pins a version with it.
  ///
  /// @param into at least {@link SlotSizes#bytesMax} bytes
  /// @return the bytes of the slot
  public int read(long address, byte[] into) throws IOException, CorruptStreamException {
    files[SlotSizes.code(address)].read(SlotSizes.number(address), into);
    return sizes.bytesAt(address);
  }

  /// The slot at a place that {@link #damage} names.
  ///
  /// @return -1 if the file is none of the store's
  public long addressAt(String file, long offset) {
    for (int code = 0; code < files.length; code++) {
      if (files[code].name().equals(file)) {
        return SlotSizes.address(code, offset / sizes.bytes(code));
      }
    }
    return -1;
  }

  /// File and offset of a slot, for messages about damage.
  public CorruptStreamException damage(long address, String what) {
    int code = SlotSizes.code(address);
    return new CorruptStreamException(
        files[code].name(), sizes.offset(code, SlotSizes.number(address)), what);
  }

  /// @param cause what reading it failed with
  public CorruptStreamException damage(long address, String what, Throwable cause) {
    CorruptStreamException damage = damage(address, what);
    damage.initCause(cause);
    return damage;
  }

  /// Keeps the slots of a version from being written over, until it is {@link #unpin unpinned}.
  ///
  /// @return whether they still are what they were
  public boolean pin(long ofVersion) {
    return pins.pin(ofVersion);
  }

  public void unpin(long ofVersion) {
    pins.unpin(ofVersion);
  }

  /// The oldest version that is pinned; the newest one if none is.
  public long oldestRead() {
    return Math.min(version, pins.oldest());
  }

  /// Forces what was added and puts into `batch` what a restore needs. For the owner, after the
  /// batches of earlier savepoints were written.
  public void savepoint(MetaBatch batch, MetaStore meta)
      throws IOException, CorruptStreamException {
    checkUsable();
    failed = true; // until all of it is done
    for (SlotFile file : files) {
      file.force();
    }
    long next = version + 1;
    if (freedCount > 0) {
      SlotList addresses = SlotList.of(Arrays.copyOf(freed, freedCount));
      freedCount = 0;
      keep(next, addresses);
      batch.put(keys.freed(next), addresses.encode());
    }
    release(next, batch, meta);
    CborWriter head = new CborWriter().array(3 + maps.length);
    head.uint(FORMAT).uint(next).uint(pins.newestReleased());
    for (int code = 0; code < maps.length; code++) {
      FreeMap map = maps[code];
      head.uint(map.slots());
      for (int row : map.takeChangedRows()) {
        batch.put(keys.freeMap(code, row), Bytes.wrap(map.row(row)));
      }
    }
    batch.put(keys.head(), head.toBytes());
    version = next;
    failed = false;
  }

  /// What was not written whole may be referred to by what would be saved next: only a restore puts
  /// that right.
  private void checkUsable() {
    if (failed) {
      throw new IllegalStateException("slots of " + name + " have failed");
    }
  }

  /// Frees the slots of the oldest versions kept. They are written again by the next savepoint at
  /// the earliest, when this one is durable.
  private void release(long next, MetaBatch batch, MetaStore meta)
      throws IOException, CorruptStreamException {
    while (!kept.isEmpty() && mayRelease(kept.getFirst(), next)) {
      Freed oldest = kept.removeFirst();
      keptBytes -= oldest.bytes();
      for (long address : addresses(meta, oldest.version()).addresses()) {
        if (!maps[SlotSizes.code(address)].release(SlotSizes.number(address))) {
          throw damage(address, "slot is free, but version " + oldest.version() + " gave it up");
        }
      }
      batch.delete(keys.freed(oldest.version()));
    }
  }

  private SlotList addresses(MetaStore meta, long ofVersion)
      throws IOException, CorruptStreamException {
    Bytes key = keys.freed(ofVersion);
    Bytes row = meta.get(key);
    try {
      if (row == null) {
        throw new MalformedException("row is missing");
      }
      return SlotList.decode(row);
    } catch (MalformedException e) {
      throw damagedRow(key, e);
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
    return pins.release(oldest.version());
  }

  @Override
  public void close() throws IOException {
    for (SlotFile file : files) {
      file.close();
    }
  }
}
