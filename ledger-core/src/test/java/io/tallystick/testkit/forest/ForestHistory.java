package io.tallystick.testkit.forest;

import io.tallystick.crypto.Sha256;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// A random history of a state: few keys, small nodes and partitions, so that all of cutting,
/// closing and folding happens. A sorted map says what each key holds. Not thread-safe.
public final class ForestHistory {
  private final SplittableRandom random;
  private final StateParams params;
  private final NavigableMap<Bytes, StateEntry> held = new TreeMap<>();
  private long jsn = 1;

  public ForestHistory(SplittableRandom random) {
    this.random = random;
    int leafMax = 4 + random.nextInt(5);
    this.params =
        new StateParams(leafMax + random.nextInt(57), 1, leafMax, 4 + random.nextInt(5), 1);
  }

  public StateParams params() {
    return params;
  }

  /// The writes of the next block, in order.
  public List<StateEntry> block() {
    List<StateEntry> writes = new ArrayList<>();
    int count = random.nextInt(3) == 0 ? random.nextInt(60) : random.nextInt(6);
    for (int i = 0; i < count; i++) {
      Bytes key = key();
      Jsn writer = new Jsn(jsn++);
      StateEntry entry =
          random.nextInt(4) == 0
              ? StateEntry.tombstone(key, writer)
              : StateEntry.put(key, Sha256.hash(key.toArray()), random.nextInt(300), writer);
      writes.add(entry);
      held.put(key, entry);
    }
    return writes;
  }

  /// Of few letters and different lengths, so that many keys begin with each other.
  public Bytes key() {
    byte[] key = new byte[1 + random.nextInt(5)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(3) * 127);
    }
    return Bytes.wrap(key);
  }

  /// The newest entry of a key, also where its tombstone was dropped since.
  public Optional<StateEntry> newest(Bytes key) {
    return Optional.ofNullable(held.get(key));
  }

  /// The entries of the keys `[from, to)` that have a value, in key order.
  public List<StateEntry> present(Bytes from, Optional<Bytes> to) {
    NavigableMap<Bytes, StateEntry> within =
        to.isPresent() ? held.subMap(from, true, to.get(), false) : held.tailMap(from, true);
    return within.values().stream().filter(StateEntry::isPresent).toList();
  }

  /// The number of keys that were ever written.
  public int keyCount() {
    return held.size();
  }
}
