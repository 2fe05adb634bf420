package io.tallystick.storage.forest;

import io.tallystick.crypto.Sha256;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.Location;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// States over a disk and a meta store, as a shard holds them, and blocks to try them with.
final class Forests implements AutoCloseable {
  static final StrandId STRAND = strand(0);

  /// The last three, so that slots are soon used again.
  static final VersionLimits SAVED = new VersionLimits(3, VersionLimits.AS_NEWEST, 1);

  /// Few pages, so that most are read from slots.
  static final ForestLimits SMALL = new ForestLimits(20_000, 100_000, 5, 1 << 20, 6, SAVED);

  /// The same without files for closed partitions.
  static final ForestLimits ALL_IN_SLOTS =
      new ForestLimits(20_000, 100_000, 5, 1 << 20, Long.MAX_VALUE, SAVED);

  private final MetaStore meta;
  private final ForestStore store;

  private Forests(MetaStore meta, ForestStore store) {
    this.meta = meta;
    this.store = store;
  }

  static Forests open(Disk disk, MetaStore meta, Workers workers, ForestLimits limits)
      throws IOException, CorruptStreamException {
    return new Forests(meta, ForestStore.restore(disk, meta, workers, BatchHasher.cpu(), limits));
  }

  static StrandId strand(int number) {
    return new StrandId(new LedgerId(Sha256.hash(new byte[] {1})), number);
  }

  ForestStore store() {
    return store;
  }

  StateForest forest(StateParams params) throws IOException, CorruptStreamException {
    return store.forest(STRAND, params);
  }

  void savepoint(StateForest... forests) throws IOException, CorruptStreamException {
    MetaBatch batch = new MetaBatch();
    for (StateForest forest : forests) {
      forest.savepoint(batch);
    }
    store.savepoint(batch);
    meta.write(batch);
    store.saved();
  }

  @Override
  public void close() throws IOException {
    store.close();
  }

  /// An entry and a place for its value.
  static HeldEntry held(StateEntry entry) {
    long jsn = entry.jsn().value();
    return new HeldEntry(
        entry, entry.isPresent() ? new Location(jsn << 20 | 5, (int) jsn * 300) : null);
  }

  static List<HeldEntry> held(List<StateEntry> entries) {
    return entries.stream().map(Forests::held).toList();
  }

  /// Puts of keys that are spread evenly, `numbers` of them from `first` on.
  static List<HeldEntry> puts(long first, int count, int keyBytes, long jsn) {
    List<HeldEntry> entries = new ArrayList<>();
    for (long i = first; i < first + count; i++) {
      Bytes key = key(i, keyBytes);
      Digest commit = Sha256.hash(key.toArray(), new byte[] {(byte) jsn});
      entries.add(held(StateEntry.put(key, commit, 100, new Jsn(jsn + i - first))));
    }
    return entries;
  }

  /// The key of a number, evenly spread.
  static Bytes key(long number, int bytes) {
    byte[] key = new byte[bytes];
    new SplittableRandom(number).nextBytes(key);
    return Bytes.wrap(key);
  }
}
