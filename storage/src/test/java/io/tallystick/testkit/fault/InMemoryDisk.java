package io.tallystick.testkit.fault;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.disk.DiskName;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;

/// A {@link Disk} in memory on which everything is durable at once. Closing loses nothing: a test
/// may go on with the same object as if the directory had been opened again. Thread-safe.
public final class InMemoryDisk implements Disk {
  private static final long FREE_BYTES = 1L << 40;

  private final TreeMap<String, FileBytes> files = new TreeMap<>();

  public InMemoryDisk() {}

  /// A copy that lives on its own.
  public synchronized InMemoryDisk copy() {
    InMemoryDisk copy = new InMemoryDisk();
    copy.files.putAll(files);
    copy.files.replaceAll((_, bytes) -> bytes.copy());
    return copy;
  }

  /// All names, sorted.
  public synchronized List<String> names() {
    return List.copyOf(files.keySet());
  }

  /// The content of a file, copied.
  public byte[] content(String name) throws IOException {
    return bytesOf(name).toArray();
  }

  /// The size of a file.
  public long size(String name) throws IOException {
    return bytesOf(name).size();
  }

  /// Inverts one bit, as a failing medium would.
  public void flipBit(String name, long position, int bit) throws IOException {
    bytesOf(name).flipBit(position, bit);
  }

  /// Overwrites bytes behind the owner's back; a misdirected write, for instance.
  public void overwrite(String name, long position, byte[] with) throws IOException {
    bytesOf(name).write(position, with);
  }

  @Override
  public synchronized DiskFile open(String name) {
    FileBytes bytes = files.computeIfAbsent(DiskName.checkFile(name), _ -> new FileBytes());
    return new InMemoryFile(name, bytes);
  }

  @Override
  public synchronized boolean exists(String name) {
    return files.containsKey(DiskName.checkFile(name)) || !below(name).isEmpty();
  }

  @Override
  public synchronized List<String> list(String directory) {
    int start = directory.isEmpty() ? 0 : directory.length() + 1;
    return DirectoryList.of(below(DiskName.checkDirectory(directory)).navigableKeySet(), start);
  }

  @Override
  public synchronized void rename(String from, String to) throws IOException {
    DiskName.checkFile(to);
    FileBytes bytes = bytesOf(from);
    files.remove(from);
    files.put(to, bytes);
  }

  @Override
  public synchronized void delete(String name) {
    files.remove(DiskName.checkFile(name));
  }

  @Override
  public void forceDirectory(String directory) {
    DiskName.checkDirectory(directory);
  }

  @Override
  public long freeBytes() {
    return FREE_BYTES;
  }

  @Override
  public void close() {}

  /// A disk of these files, which it takes over; for the crashing twin.
  static InMemoryDisk of(SortedMap<String, FileBytes> files) {
    InMemoryDisk disk = new InMemoryDisk();
    disk.files.putAll(files);
    return disk;
  }

  /// The live bytes of all files.
  synchronized SortedMap<String, FileBytes> files() {
    return new TreeMap<>(files);
  }

  private synchronized FileBytes bytesOf(String name) throws IOException {
    FileBytes bytes = files.get(DiskName.checkFile(name));
    if (bytes == null) {
      throw new NoSuchFileException(name);
    }
    return bytes;
  }

  private NavigableMap<String, FileBytes> below(String directory) {
    return directory.isEmpty()
        ? files
        : files.subMap(directory + "/", true, directory + "0", false); // '0' follows '/'
  }
}
