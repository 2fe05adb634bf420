package io.tallystick.storage.array;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A bounded pool of open files, least recently used closed first. A file with unforced writes is
/// forced before it is closed, so a later {@link #force} answers for every write made here.
/// Thread-safe; a file in use is never closed, so with more threads than places the pool exceeds
/// its bound by the number of threads.
///
/// After a failed force the pool writes nothing more: the data is reopened from disk
/// (`docs/architecture.md`, "Failed force").
public final class OpenFiles implements AutoCloseable {
  private final Disk disk;
  private final int filesMax;
  private final Map<String, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
  private @Nullable IOException failedForce;
  private boolean closed;

  public OpenFiles(Disk disk, int filesMax) {
    if (filesMax < 1) {
      throw new IllegalArgumentException(filesMax + " open files, want at least 1");
    }
    this.disk = disk;
    this.filesMax = filesMax;
  }

  /// Reads until `into` is full or the file ends.
  public int read(String name, long position, ByteBuffer into) throws IOException {
    Entry entry = acquire(name, false);
    try {
      return entry.file.read(position, into);
    } finally {
      release(entry);
    }
  }

  public void write(String name, long position, ByteBuffer from) throws IOException {
    Entry entry = acquire(name, true);
    try {
      entry.file.write(position, from);
    } finally {
      release(entry);
    }
  }

  public long size(String name) throws IOException {
    Entry entry = acquire(name, false);
    try {
      return entry.file.size();
    } finally {
      release(entry);
    }
  }

  public void truncate(String name, long size) throws IOException {
    Entry entry = acquire(name, true);
    try {
      entry.file.truncate(size);
    } finally {
      release(entry);
    }
  }

  /// Everything written to the file so far is durable on return.
  public void force(String name) throws IOException {
    Entry entry = acquire(name, true);
    try {
      entry.file.force();
      clean(entry);
    } catch (IOException e) {
      fail(e);
      throw e;
    } finally {
      release(entry);
    }
  }

  synchronized int openCount() {
    return entries.size();
  }

  private synchronized Entry acquire(String name, boolean forWriting) throws IOException {
    if (closed) {
      throw new IOException("the files of the indexes are closed");
    }
    if (forWriting && failedForce != null) {
      throw new IOException("no write after a failed force", failedForce);
    }
    Entry entry = entries.get(name);
    if (entry == null) {
      makeRoom();
      entry = new Entry(disk.open(name));
      entries.put(name, entry);
    }
    entry.users++;
    entry.dirty |= forWriting;
    return entry;
  }

  private synchronized void release(Entry entry) throws IOException {
    entry.users--;
    if (closed && entry.users == 0) {
      entry.file.close();
    }
  }

  private synchronized void clean(Entry entry) {
    entry.dirty = false;
  }

  private synchronized void fail(IOException cause) {
    failedForce = cause;
  }

  // Closing under the lock keeps a name from being opened again while it is being closed.
  private void makeRoom() throws IOException {
    Iterator<Entry> eldestFirst = entries.values().iterator();
    while (entries.size() >= filesMax && eldestFirst.hasNext()) {
      Entry entry = eldestFirst.next();
      if (entry.users == 0) {
        forceUnsaved(entry);
        eldestFirst.remove();
        entry.file.close();
      }
    }
  }

  private void forceUnsaved(Entry entry) throws IOException {
    if (!entry.dirty || failedForce != null) {
      return;
    }
    try {
      entry.file.force();
      entry.dirty = false;
    } catch (IOException e) {
      failedForce = e;
      throw e;
    }
  }

  /// Closes the files, unforced: only a savepoint's content is kept.
  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    List<IOException> failures = new ArrayList<>();
    for (Entry entry : entries.values()) {
      if (entry.users == 0) {
        try {
          entry.file.close();
        } catch (IOException e) {
          failures.add(e);
        }
      }
    }
    entries.clear();
    if (!failures.isEmpty()) {
      IOException first = failures.getFirst();
      failures.stream().skip(1).forEach(first::addSuppressed);
      throw first;
    }
  }

  // Fields guarded by the pool.
  private static final class Entry {
    private final DiskFile file;
    private int users;
    private boolean dirty;

    private Entry(DiskFile file) {
      this.file = file;
    }
  }
}
