package io.tallystick.storage.forest;

import java.util.Arrays;
import java.util.List;

/// The entries that a block puts into the open partition, in key order, as they lie in leaves. Not
/// changed once it is made.
final class EntryBatch {
  private final byte[] bytes;
  private final int[] starts; // and behind the last one, where it ends

  private EntryBatch(byte[] bytes, int[] starts) {
    this.bytes = bytes;
    this.starts = starts;
  }

  /// @param entries with strictly ascending keys
  static EntryBatch of(List<HeldEntry> entries) {
    int[] starts = new int[entries.size() + 1];
    byte[] bytes = new byte[Math.max(1, entries.size()) * 128 + EntryBytes.BYTES_MAX];
    for (int i = 0; i < entries.size(); i++) {
      if (bytes.length - starts[i] < EntryBytes.BYTES_MAX) {
        bytes = Arrays.copyOf(bytes, 2 * bytes.length);
      }
      starts[i + 1] = EntryBytes.put(entries.get(i), bytes, starts[i]);
    }
    return new EntryBatch(bytes, starts);
  }

  int size() {
    return starts.length - 1;
  }

  byte[] bytes() {
    return bytes;
  }

  int start(int index) {
    return starts[index];
  }

  int entryBytes(int index) {
    return starts[index + 1] - starts[index];
  }

  /// The index of the first entry of `[from, to)` whose key is at least `key`; `to` if none is.
  int firstAtLeast(byte[] key, int from, int to) {
    int low = from;
    int high = to;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (EntryBytes.compareKey(bytes, starts[middle], key) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
