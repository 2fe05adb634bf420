package io.tallystick.storage.forest;

import io.tallystick.model.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/// The entries that a block writes, in key order, of each key the last one. Not changed once it is
/// made.
final class BlockEntries {
  private static final Comparator<HeldEntry> BY_KEY = Comparator.comparing(HeldEntry::key);

  private final List<HeldEntry> entries;

  private BlockEntries(List<HeldEntry> entries) {
    this.entries = entries;
  }

  /// @param writes in the order of their operations
  static BlockEntries of(List<HeldEntry> writes) {
    HeldEntry[] sorted = writes.toArray(HeldEntry[]::new);
    Arrays.sort(sorted, BY_KEY); // those of one key stay in order
    int count = 0;
    for (HeldEntry held : sorted) {
      if (count > 0 && sorted[count - 1].key().equals(held.key())) {
        count--;
      }
      sorted[count++] = held;
    }
    return new BlockEntries(Arrays.asList(sorted).subList(0, count));
  }

  /// These and others, whose keys they do not have.
  BlockEntries with(List<HeldEntry> others) {
    if (others.isEmpty()) {
      return this;
    }
    List<HeldEntry> all = new ArrayList<>(entries);
    all.addAll(others);
    all.sort(BY_KEY);
    return new BlockEntries(all);
  }

  int size() {
    return entries.size();
  }

  boolean has(Bytes key) {
    int low = 0;
    int high = entries.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      int order = entries.get(middle).key().compareTo(key);
      if (order == 0) {
        return true;
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return false;
  }

  List<HeldEntry> list() {
    return entries;
  }
}
