package io.tallystick.testkit.fault;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.storage.disk.DiskName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// A disk in memory that keeps apart what is readable and what would survive a crash. Writes,
/// truncations and directory entries that were not forced may survive a crash wholly, by sectors of
/// 512 bytes, or not, in any order; the {@link CrashPlan} decides when and, by its seed, how. After
/// the crash every call but `close` throws {@link CrashedException}. Thread-safe.
public final class CrashingDisk implements Disk {
  private static final long UNLIMITED = 1L << 40;

  /// Names that change together; a file that went away is absent from `after`.
  private record EntryChange(List<String> names, Map<String, Inode> after) {}

  private final CrashPlan plan;
  private final TreeMap<String, Inode> visible = new TreeMap<>();
  private final TreeMap<String, Inode> durable = new TreeMap<>();
  private final List<EntryChange> unforced = new ArrayList<>();
  private long capacityBytes = UNLIMITED;

  /// An empty disk.
  public CrashingDisk(CrashPlan plan) {
    this(new InMemoryDisk(), plan);
  }

  /// Goes on from what survived an earlier crash; `base` is copied.
  public CrashingDisk(InMemoryDisk base, CrashPlan plan) {
    this.plan = plan;
    base.files().forEach((name, content) -> visible.put(name, new Inode(content)));
    durable.putAll(visible);
  }

  /// What a crash at this moment leaves. Each call draws anew.
  public synchronized InMemoryDisk afterCrash() {
    SplittableRandom random = plan.random();
    Survival survival = Survival.draw(random);
    TreeMap<String, Inode> names = new TreeMap<>(durable);
    for (EntryChange change : unforced) {
      if (survives(survival, random)) {
        apply(change, names);
      }
    }
    Map<Inode, FileBytes> contents = new HashMap<>();
    TreeMap<String, FileBytes> survivors = new TreeMap<>();
    names.forEach((name, inode) ->
        survivors.put(
            name, contents.computeIfAbsent(inode, file -> file.afterCrash(survival, random))));
    return InMemoryDisk.of(survivors);
  }

  private static boolean survives(Survival survival, SplittableRandom random) {
    return switch (survival.next(random)) {
      case WHOLE -> true;
      case PART -> random.nextBoolean();
      case LOST -> false;
    };
  }

  /// What is readable now, as after a killed process; a copy.
  public synchronized InMemoryDisk afterKill() {
    TreeMap<String, FileBytes> copies = new TreeMap<>();
    visible.forEach((name, inode) -> copies.put(name, inode.visible().copy()));
    return InMemoryDisk.of(copies);
  }

  /// Sets the size of the disk: files that would together grow beyond it find it full.
  public synchronized void limit(long newCapacityBytes) {
    capacityBytes = newCapacityBytes;
  }

  @Override
  public synchronized DiskFile open(String name) throws IOException {
    plan.requireRunning();
    Inode inode = visible.get(DiskName.checkFile(name));
    if (inode == null) {
      inode = new Inode();
      change(new EntryChange(List.of(name), Map.of(name, inode)));
    }
    return new CrashingFile(name, inode, this);
  }

  @Override
  public synchronized boolean exists(String name) throws IOException {
    plan.requireRunning();
    return visible.containsKey(DiskName.checkFile(name)) || !below(name).isEmpty();
  }

  @Override
  public synchronized List<String> list(String directory) throws IOException {
    plan.requireRunning();
    int start = directory.isEmpty() ? 0 : directory.length() + 1;
    return DirectoryList.of(below(DiskName.checkDirectory(directory)).navigableKeySet(), start);
  }

  @Override
  public synchronized void rename(String from, String to) throws IOException {
    plan.requireRunning();
    Inode inode = visible.get(DiskName.checkFile(from));
    if (inode == null) {
      throw new NoSuchFileException(from);
    }
    change(new EntryChange(List.of(from, DiskName.checkFile(to)), Map.of(to, inode)));
  }

  @Override
  public synchronized void delete(String name) throws IOException {
    plan.requireRunning();
    if (visible.containsKey(DiskName.checkFile(name))) {
      change(new EntryChange(List.of(name), Map.of()));
    }
  }

  @Override
  public synchronized void forceDirectory(String directory) throws IOException {
    boolean crash = plan.begin(false, false) == CrashPlan.Fault.CRASH;
    if (!crash || plan.random().nextBoolean()) {
      forceEntries(DiskName.checkDirectory(directory));
    }
    plan.requireRunning();
  }

  private void forceEntries(String directory) {
    List<EntryChange> rest = new ArrayList<>();
    for (EntryChange change : unforced) {
      if (change.names().stream().anyMatch(name -> DiskName.directoryOf(name).equals(directory))) {
        apply(change, durable);
      } else {
        rest.add(change);
      }
    }
    unforced.clear();
    unforced.addAll(rest);
  }

  @Override
  public synchronized long freeBytes() throws IOException {
    plan.requireRunning();
    return capacityBytes - usedBytes();
  }

  @Override
  public void close() {}

  synchronized int read(Inode inode, long position, ByteBuffer into) throws IOException {
    plan.requireRunning();
    return inode.visible().read(position, into);
  }

  synchronized long size(Inode inode) throws IOException {
    plan.requireRunning();
    return inode.visible().size();
  }

  synchronized void write(Inode inode, long position, byte[] bytes) throws IOException {
    CrashPlan.Fault fault = plan.begin(false, true);
    if (fault == CrashPlan.Fault.DISK_FULL) {
      long room = Math.max(0, inode.visible().size() - position);
      int whole = (int) Math.min(room, bytes.length);
      SplittableRandom random = plan.random();
      int part = random.nextBoolean() ? whole : random.nextInt(1 + whole);
      inode.write(position, Arrays.copyOf(bytes, part));
      throw new DiskFullException("no room, by plan");
    }
    requireRoom(inode, position + bytes.length);
    inode.write(position, bytes);
    plan.requireRunning();
  }

  synchronized void truncate(Inode inode, long size) throws IOException {
    plan.begin(false, false);
    inode.truncate(size);
    plan.requireRunning();
  }

  synchronized void allocate(Inode inode, long size) throws IOException {
    CrashPlan.Fault fault = plan.begin(true, true);
    if (fault == CrashPlan.Fault.DISK_FULL) {
      throw new DiskFullException("no room, by plan");
    }
    requireRoom(inode, size);
    long end = inode.visible().size();
    if (end < size) {
      inode.write(end, new byte[Math.toIntExact(size - end)]);
      forceOrFail(inode, fault);
    }
  }

  synchronized void force(Inode inode) throws IOException {
    forceOrFail(inode, plan.begin(true, false));
  }

  private void forceOrFail(Inode inode, CrashPlan.Fault fault) throws IOException {
    plan.requireRunning();
    if (fault == CrashPlan.Fault.FAILED_FORCE) {
      inode.failForce(plan.random());
      throw new IOException("force failed, by plan");
    }
    inode.force();
  }

  private void change(EntryChange change) throws IOException {
    plan.begin(false, false);
    apply(change, visible);
    unforced.add(change);
    plan.requireRunning();
  }

  private static void apply(EntryChange change, Map<String, Inode> names) {
    change.names().forEach(names::remove);
    names.putAll(change.after());
  }

  private void requireRoom(Inode inode, long end) throws DiskFullException {
    long growth = Math.max(0, end - inode.visible().size());
    // All files are added up only if there is a limit to meet.
    if (capacityBytes != UNLIMITED && growth > capacityBytes - usedBytes()) {
      throw new DiskFullException("no room for " + growth + " bytes");
    }
  }

  private long usedBytes() {
    long bytes = 0;
    for (Inode inode : visible.values()) {
      bytes += inode.visible().size();
    }
    return bytes;
  }

  private NavigableMap<String, Inode> below(String directory) {
    return directory.isEmpty()
        ? visible
        : visible.subMap(directory + "/", true, directory + "0", false); // '0' follows '/'
  }
}
