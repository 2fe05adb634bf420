package io.tallystick.bench.clue;

import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.clue.ClueBatch;
import io.tallystick.storage.clue.ClueEntry;
import io.tallystick.storage.clue.ClueIndex;
import io.tallystick.storage.clue.ClueMemory;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.RocksMetaStore;
import io.tallystick.storage.patricia.Workers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// The clue index as a shard has it: cells in a file, heads in memory, both saved by savepoints. A
/// savepoint is due after ten seconds or when the memory says so.
final class SkipLists implements ClueStore {
  private static final StrandId STRAND = new StrandId(new LedgerId(Digest.ZERO), 0);
  private static final long SAVE_NANOS = 10_000_000_000L;

  private final Path folder;
  private final Disk disk;
  private final RocksMetaStore meta;
  private final ArrayStore arrays;
  private final ClueMemory memory;
  private final Workers workers = new Workers(Runtime.getRuntime().availableProcessors(), "clues");
  private final ClueIndex index;
  private final ClueBatch batch = new ClueBatch();
  private final int savepointEntries;
  private long savedAt = System.nanoTime();
  private int savepoints;

  /// @param savepointEntries at the latest after so many; 0: as time and memory say
  SkipLists(Path folder, int savepointEntries) throws Exception {
    this.folder = folder;
    this.savepointEntries = savepointEntries;
    disk = LocalDisk.open(folder.resolve("data"));
    meta = RocksMetaStore.open(folder.resolve("meta"));
    arrays = new ArrayStore(disk, meta, ArrayLimits.DEFAULT);
    memory = new ClueMemory(ClueBench.MEMORY_BYTES);
    index = ClueIndex.restore(arrays, meta, STRAND, memory, workers);
  }

  @Override
  public void insert(ClueLoad load, int from, int to) throws Exception {
    batch.clear();
    for (int i = from; i < to; i++) {
      batch.add(load.clueId(i), ClueLoad.jsn(i), load.leafHashes(), load.leafHashAt(i), false);
    }
    index.append(batch);
    boolean due = savepointEntries > 0 && index.unsavedCellCount() >= savepointEntries;
    if (due || memory.savepointDue() || System.nanoTime() - savedAt > SAVE_NANOS) {
      save();
    }
  }

  @Override
  public void save() throws Exception {
    index.visitChanged((_, _, _, _) -> {});
    MetaBatch batch = new MetaBatch();
    index.savepoint(batch);
    meta.write(batch);
    index.saved();
    savedAt = System.nanoTime();
    savepoints++;
  }

  int savepoints() {
    return savepoints;
  }

  @Override
  public long latest(Digest clueId, long jsn) throws Exception {
    Optional<ClueEntry> entry = index.latest(clueId, jsn);
    return entry.isEmpty()
        ? 0
        : entry.get().jsn() + (entry.get().leafHash().firstWord() >>> (Long.SIZE - Byte.SIZE));
  }

  @Override
  public long diskBytes() throws Exception {
    return ClueBench.bytesBelow(folder);
  }

  @Override
  public void close() throws IOException {
    index.close();
    arrays.close();
    meta.close();
    disk.close();
    workers.close();
  }
}
