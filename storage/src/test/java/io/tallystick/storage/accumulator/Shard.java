package io.tallystick.storage.accumulator;

import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;

/// One accumulator over a disk and a meta store, as a shard holds it.
final class Shard implements AutoCloseable {
  static final StrandId STRAND =
      new StrandId(
          LedgerId.fromHex("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"), 0);

  /// Arrays move to files at 40 hashes and are written every 10, and one file may be open, so that
  /// small trees take every way.
  static final ArrayLimits SMALL = new ArrayLimits(40 * 32, 10 * 32, 1);

  private final MetaStore meta;
  private final ArrayStore arrays;
  private final Accumulator accumulator;

  private Shard(MetaStore meta, ArrayStore arrays, Accumulator accumulator) {
    this.meta = meta;
    this.arrays = arrays;
    this.accumulator = accumulator;
  }

  static Shard open(Disk disk, MetaStore meta, ArrayLimits limits)
      throws IOException, CorruptStreamException {
    ArrayStore arrays = new ArrayStore(disk, meta, limits);
    return new Shard(
        meta,
        arrays,
        Accumulator.restore(arrays, meta, STRAND, new CpuBatchHasher(), new NodeCache()));
  }

  Accumulator accumulator() {
    return accumulator;
  }

  void append(List<Digest> leafHashes) throws IOException, CorruptStreamException {
    byte[] bytes = new byte[5 + leafHashes.size() * Digest.BYTES];
    for (int i = 0; i < leafHashes.size(); i++) {
      leafHashes.get(i).copyInto(bytes, 5 + i * Digest.BYTES);
    }
    accumulator.append(bytes, 5, leafHashes.size());
  }

  void savepoint() throws IOException, CorruptStreamException {
    MetaBatch batch = new MetaBatch();
    accumulator.savepoint(batch);
    meta.write(batch);
  }

  @Override
  public void close() throws IOException {
    accumulator.close();
    arrays.close();
  }
}
