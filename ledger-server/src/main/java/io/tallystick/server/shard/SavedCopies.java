package io.tallystick.server.shard;

import io.tallystick.server.saved.SavepointRow;
import io.tallystick.server.seal.BlockIndexStore;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.meta.MetaCheckpoint;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamPosition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Gives out the savepoints of a shard to be copied, one at a time. The index thread takes them,
/// between two turns; any thread asks.
public final class SavedCopies {
  private static final List<String> INDEX_FOLDERS =
      List.of(ArrayStore.FOLDER, "patricia", "forest");
  private static final int DEPTH_MAX = 2;

  private final ShardStorage storage;
  private @Nullable CompletableFuture<SavedCopy> wanted; // guarded by this
  private boolean given; // guarded by this
  private boolean closed; // guarded by this
  private final AtomicLong openings = new AtomicLong();
  private final AtomicLong journals = new AtomicLong();
  private final AtomicLong removals = new AtomicLong();
  private volatile long indexedFrames;

  SavedCopies(ShardStorage storage) {
    this.storage = storage;
  }

  /// Those of a shard that nobody has open, and that has nothing but its savepoint.
  public static SavedCopies ofStopped(ShardStorage storage) {
    return new SavedCopies(storage);
  }

  /// The savepoint of a shard that nobody has open.
  public SavedCopy stopped() throws IOException, CorruptStreamException {
    SavepointRow saved = SavepointRow.of(storage.meta());
    return copy(List.of(), new SavedCopy.Head(saved.position(), saved.epoch(), saved.timeMs(), 0));
  }

  /// Asks for the newest savepoint. What is not saved yet is saved with it.
  ///
  /// @throws IllegalStateException if one is asked for already, or not closed
  public synchronized CompletableFuture<SavedCopy> ask() {
    if (wanted != null || given) {
      throw new IllegalStateException("a savepoint is being copied");
    }
    CompletableFuture<SavedCopy> asked = new CompletableFuture<>();
    if (closed) {
      asked.completeExceptionally(new IOException("the shard is closed"));
    } else {
      wanted = asked;
    }
    return asked;
  }

  /// Journals that were indexed since the shard was made.
  public long journals() {
    return journals.get();
  }

  /// Number of the first frame that is not indexed yet.
  public long indexedFrames() {
    return indexedFrames;
  }

  void indexed(long more, StreamPosition to) {
    journals.addAndGet(more);
    indexedFrames = to.number();
  }

  /// A savepoint has a removal.
  void removalSaved() {
    removals.incrementAndGet();
  }

  synchronized boolean isWanted() {
    return wanted != null;
  }

  /// All is saved. For the index thread.
  void take(OpenShard shard) {
    CompletableFuture<SavedCopy> asked;
    synchronized (this) {
      asked = wanted;
      wanted = null;
      given = asked != null;
    }
    if (asked == null) {
      return;
    }
    try {
      SavepointRow saved = SavepointRow.of(storage.meta());
      SavedCopy.Head head =
          new SavedCopy.Head(saved.position(), saved.epoch(), saved.timeMs(), removals.get());
      asked.complete(copy(shard.indexes().stores(), head));
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      closed();
      asked.completeExceptionally(e);
    }
  }

  private SavedCopy copy(List<BlockIndexStore<?>> indexes, SavedCopy.Head head) throws IOException {
    MetaCheckpoint rows = storage.meta().checkpoint();
    List<Runnable> kept = new ArrayList<>();
    try {
      indexes.forEach(index -> kept.add(index.keepSaved()));
      List<SavedFile> files = new ArrayList<>();
      for (String folder : INDEX_FOLDERS) {
        add(storage.disk(), folder, DEPTH_MAX, indexes, files);
      }
      return new SavedCopy(
          head,
          rows,
          files,
          storage.disk(),
          storage.sharedObjects().isPresent(),
          kept,
          this,
          openings.get());
    } catch (IOException | RuntimeException e) {
      kept.forEach(Runnable::run);
      RestoredShard.closeAfter(e, rows);
      throw e;
    }
  }

  private static void add(
      Disk disk, String folder, int depth, List<BlockIndexStore<?>> indexes, List<SavedFile> files)
      throws IOException {
    for (String entry : disk.list(folder)) {
      String name = folder + "/" + entry;
      if (entry.indexOf('.') < 0) {
        if (depth > 1) {
          add(disk, name, depth - 1, indexes, files);
        }
      } else if (indexes.stream().noneMatch(index -> index.isUnsaved(name))) {
        Optional<DiskFile> there = disk.openIfThere(name);
        if (there.isPresent()) {
          try (DiskFile file = there.get()) {
            files.add(new SavedFile(name, new SavedFile.Body.Growing(disk, file.size())));
          }
        }
      }
    }
  }

  synchronized void closed() {
    given = false;
  }

  boolean isOf(long which) {
    return openings.get() == which;
  }

  /// The shard is about to be opened again: what is given out is no savepoint from now on.
  void reopening() {
    removals.incrementAndGet(); // one may have been replayed
    openings.incrementAndGet();
  }

  /// No turn is taken any more.
  synchronized void close() {
    closed = true;
    openings.incrementAndGet();
    if (wanted != null) {
      wanted.completeExceptionally(new IOException("the shard is closed"));
      wanted = null;
    }
  }
}
