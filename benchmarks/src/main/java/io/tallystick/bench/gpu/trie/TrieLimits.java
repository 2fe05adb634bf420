package io.tallystick.bench.gpu.trie;

import java.util.Locale;

/// What a {@link DeviceTrie} has room for. A key takes 256 bytes of the device's memory, and the
/// value's; an entry of a batch 484 and two values' more.
///
/// @param keys that it may hold, from 1; it may take some more before it is full
/// @param batch entries of an update or keys of a question, from 1 to {@link #BATCH_MAX}
/// @param valueBytes of the longest value, from 1 to 128
public record TrieLimits(int keys, int batch, int valueBytes) {
  /// The longest value that any trie takes.
  public static final int VALUE_BYTES_MAX = 128;

  /// The largest batch that any trie takes.
  public static final int BATCH_MAX = 1 << 23;

  /// References have 32 bits.
  private static final long NODES_MAX = 0xffff_ffffL;

  public TrieLimits {
    if (batch < 1 || batch > BATCH_MAX) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "%d entries in a batch, want 1 to %d", batch, BATCH_MAX));
    }
    if (keys < 1 || 2L * keys + 3L * batch + 2 > NODES_MAX) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%d keys and %d entries are more nodes than references name",
              keys,
              batch));
    }
    if (valueBytes < 1 || valueBytes > VALUE_BYTES_MAX) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT, "values of %d bytes, want 1 to %d", valueBytes, VALUE_BYTES_MAX));
    }
  }

  int valueWords() {
    return (valueBytes + Integer.BYTES - 1) / Integer.BYTES;
  }

  /// With the one that is no leaf, and those that entries hold for later.
  long leafSlots() {
    return 1L + keys + batch;
  }

  /// With the anchor, and those that entries hold for later.
  long branchSlots() {
    return 1L + keys + 2L * batch;
  }
}
