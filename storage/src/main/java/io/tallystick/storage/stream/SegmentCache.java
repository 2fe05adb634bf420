package io.tallystick.storage.stream;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.util.LinkedHashMap;

/// Segment files open for reading, the least recently used closed first. Thread-safe; the lock is
/// not held during reads.
final class SegmentCache implements AutoCloseable {
  /// Open files of all streams of a store together.
  static final int FILES_MAX = 64;

  /// An open file and how many reads are going on in it.
  private static final class Entry {
    final DiskFile file;
    int users;
    boolean evicted;

    Entry(DiskFile file) {
      this.file = file;
    }
  }

  private final Disk disk;
  private final LinkedHashMap<String, Entry> entries =
      new LinkedHashMap<>(FILES_MAX, 0.75f, /* accessOrder= */ true);
  private boolean closed;

  SegmentCache(Disk disk) {
    this.disk = disk;
  }

  /// As {@link DiskFile#read}.
  ///
  /// @throws NoSuchFileException if the file was deleted; it is never made anew
  int read(String name, long position, ByteBuffer into) throws IOException {
    Entry entry = acquire(name);
    try {
      return entry.file.read(position, into);
    } catch (ClosedChannelException e) {
      // An interrupted reader closes the channel for all; the next read opens it again.
      drop(name, entry);
      throw e;
    } finally {
      release(entry);
    }
  }

  /// Deletes a file, and closes it once nobody reads it, which frees its room. Not forced.
  synchronized void delete(String name) throws IOException {
    Entry entry = entries.remove(name);
    if (entry != null) {
      entry.evicted = true;
      closeUnused(entry);
    }
    disk.delete(name);
  }

  private synchronized Entry acquire(String name) throws IOException {
    if (closed) {
      throw new IOException("the stream store is closed");
    }
    Entry entry = entries.get(name);
    if (entry == null) {
      if (!disk.exists(name)) {
        throw new NoSuchFileException(name);
      }
      evictDownTo(FILES_MAX - 1);
      entry = new Entry(disk.open(name));
      entries.put(name, entry);
    }
    entry.users++;
    return entry;
  }

  private synchronized void release(Entry entry) throws IOException {
    entry.users--;
    closeUnused(entry);
  }

  private synchronized void drop(String name, Entry entry) {
    entry.evicted = true;
    entries.remove(name, entry);
  }

  private void evictDownTo(int filesMax) throws IOException {
    while (entries.size() > filesMax) {
      Entry eldest = entries.pollFirstEntry().getValue();
      eldest.evicted = true;
      closeUnused(eldest);
    }
  }

  private static void closeUnused(Entry entry) throws IOException {
    if (entry.evicted && entry.users == 0) {
      entry.file.close();
    }
  }

  @Override
  public synchronized void close() throws IOException {
    closed = true;
    evictDownTo(0);
  }
}
