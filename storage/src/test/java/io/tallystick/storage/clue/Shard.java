package io.tallystick.storage.clue;

import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.clue.ClueModel.Appended;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/// One clue index over a disk and a meta store, as a shard holds it.
final class Shard implements AutoCloseable {
  static final StrandId STRAND =
      new StrandId(
          LedgerId.fromHex("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"), 0);
  static final String FILE =
      String.format(Locale.ROOT, "index/%s-0/clues.arr", STRAND.ledger().hex());

  /// Cells move to a file at 50 and are written every 10.
  static final ArrayLimits SMALL = new ArrayLimits(50 * 64, 10 * 64, 1);

  private final MetaStore meta;
  private final ArrayStore arrays;
  private final ClueMemory memory;
  private final ClueIndex index;
  private final Workers workers;
  private final ClueBatch batch = new ClueBatch();

  private Shard(
      MetaStore meta, ArrayStore arrays, ClueMemory memory, ClueIndex index, Workers workers) {
    this.meta = meta;
    this.arrays = arrays;
    this.memory = memory;
    this.index = index;
    this.workers = workers;
  }

  static Shard open(Disk disk, MetaStore meta) throws IOException, CorruptStreamException {
    return open(disk, meta, new ClueMemory(ClueMemory.DEFAULT_BYTES));
  }

  static Shard open(Disk disk, MetaStore meta, ClueMemory memory)
      throws IOException, CorruptStreamException {
    return open(disk, meta, memory, 2);
  }

  static Shard open(Disk disk, MetaStore meta, ClueMemory memory, int workerCount)
      throws IOException, CorruptStreamException {
    ArrayStore arrays = new ArrayStore(disk, meta, SMALL);
    Workers workers = new Workers(workerCount, "shard");
    try {
      ClueIndex index = ClueIndex.restore(arrays, meta, STRAND, memory, workers);
      return new Shard(meta, arrays, memory, index, workers);
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      workers.close();
      throw e;
    }
  }

  static Shard startOver(Disk disk, MetaStore meta) throws IOException, CorruptStreamException {
    ArrayStore arrays = new ArrayStore(disk, meta, SMALL);
    ClueMemory memory = new ClueMemory(ClueMemory.DEFAULT_BYTES);
    Workers workers = new Workers(1, "shard");
    ClueIndex index = ClueIndex.startOver(arrays, meta, STRAND, memory, workers);
    return new Shard(meta, arrays, memory, index, workers);
  }

  ClueIndex index() {
    return index;
  }

  ClueMemory memory() {
    return memory;
  }

  /// Appends an entry alone.
  void append(Appended appended) throws IOException, CorruptStreamException {
    appendTogether(List.of(appended));
  }

  /// Appends `[from, to)` of the model's log one by one.
  void append(ClueModel model, int from, int to) throws IOException, CorruptStreamException {
    for (Appended appended : model.log().subList(from, to)) {
      append(appended);
    }
  }

  /// Appends entries as one batch.
  void appendTogether(List<Appended> entries) throws IOException, CorruptStreamException {
    byte[] bytes = new byte[40];
    batch.clear();
    for (Appended appended : entries) {
      appended.leafHash().copyInto(bytes, 5);
      batch.add(appended.clueId(), appended.jsn(), bytes, 5, appended.deletes());
    }
    index.append(batch);
  }

  /// @return what was written
  MetaBatch savepoint() throws IOException, CorruptStreamException {
    MetaBatch batch = new MetaBatch();
    index.visitChanged((_, _, _, _) -> {});
    index.savepoint(batch);
    meta.write(batch);
    return batch;
  }

  @Override
  public void close() throws IOException {
    index.close();
    arrays.close();
    workers.close();
  }
}
