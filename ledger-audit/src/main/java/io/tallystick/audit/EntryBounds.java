package io.tallystick.audit;

import io.tallystick.model.Digest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// When one submitter's entries in a T-Ledger were made, as the T-Ledger's own tokens prove it: not
/// before the latest genTime of a token at or below the entry, not after the genTime of the first
/// token about a head that covers it. Some 200 bytes for each of the submitter's entries. Not
/// thread-safe.
final class EntryBounds {
  private final Digest clueId;
  private final Map<Long, Entry> entries = new HashMap<>();
  private final Deque<Long> open = new ArrayDeque<>();
  private long latestMs = TimeWindows.UNKNOWN;
  private ClueRow row = new ClueRow();
  private int next;

  /// @param clueId that the submitter's entries name
  EntryBounds(Digest clueId) {
    this.clueId = clueId;
  }

  /// Both times are {@link TimeWindows#UNKNOWN} where no token proves them.
  record Entry(Digest leafHash, long notBeforeMs, long notAfterMs) {}

  /// A chunk begins.
  void begin(ClueRow clues) {
    row = clues;
    next = 0;
  }

  /// To be told of each leaf in order.
  ///
  /// @param leaf its index in the chunk
  void leaf(int leaf, long jsn, Digest leafHash) {
    while (next < row.count() && row.leaf(next) == leaf) {
      if (row.clueId(next).equals(clueId)) {
        entries.put(jsn, new Entry(leafHash, latestMs, TimeWindows.UNKNOWN));
        open.add(jsn);
      }
      next++;
    }
  }

  /// A token of the T-Ledger was verified.
  ///
  /// @param size of the head it is about
  void token(long genTimeMs, long size) {
    while (!open.isEmpty() && open.getFirst() < size) {
      entries.computeIfPresent(
          open.removeFirst(),
          (_, entry) -> new Entry(entry.leafHash(), entry.notBeforeMs(), genTimeMs));
    }
    latestMs = Math.max(latestMs, genTimeMs);
  }

  Optional<Entry> at(long jsn) {
    return Optional.ofNullable(entries.get(jsn));
  }
}
