package io.tallystick.storage.clue;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The stored nodes of the clues' trees: the complete ones of the levels 8, 16, 24, … A node is a
/// row of the meta store from the savepoint after it was made; until that is written it is kept
/// here. Any thread reads; the owner's workers add, each for other clues, and it saves.
final class ClueNodes {
  /// Levels between two stored ones.
  static final int STEP = 8;

  /// The bytes that a node takes which waits, with its key and its places in a map and lists.
  static final int MEMORY_BYTES = 320;

  private final MetaStore meta;
  private final StrandId strand;
  private final ClueRows rows;
  private final Map<Bytes, Bytes> unsaved = new ConcurrentHashMap<>();
  private final List<Fresh> fresh = new ArrayList<>();
  private final List<Bytes> saving = new ArrayList<>();

  /// A node that no batch has yet.
  ///
  /// @param cell of the entry that completed it
  private record Fresh(long cell, int level, Bytes key, Bytes value) {}

  ClueNodes(MetaStore meta, StrandId strand, ClueRows rows) {
    this.meta = meta;
    this.strand = strand;
    this.rows = rows;
  }

  /// @param cell of the entry that completed the node
  void add(long cell, Digest clueId, int level, long index, Digest hash) {
    Bytes key = rows.node(clueId, level, index);
    Bytes value = hash.toBytes();
    unsaved.put(key, value);
    synchronized (fresh) {
      fresh.add(new Fresh(cell, level, key, value));
    }
  }

  /// Copies the hashes of the nodes `[first, first + count)` of a stored level, 32 bytes each.
  void read(Digest clueId, int level, long first, int count, byte[] into)
      throws IOException, CorruptStreamException {
    boolean[] found = new boolean[count];
    int missing = count;
    // Those that wait are looked for first: what is not among them any more is in the meta store.
    for (int i = 0; i < count; i++) {
      Bytes hash = unsaved.get(rows.node(clueId, level, first + i));
      if (hash != null) {
        hash.copyInto(into, i * Digest.BYTES);
        found[i] = true;
        missing--;
      }
    }
    if (missing > 0) {
      readRows(clueId, level, first, found, into);
    }
  }

  private void readRows(Digest clueId, int level, long first, boolean[] found, byte[] into)
      throws IOException, CorruptStreamException {
    Bytes before = first == 0 ? null : rows.node(clueId, level, first - 1);
    long[] next = {first};
    meta.scan(
        rows.level(clueId, level),
        before,
        (key, value) -> {
          int place = (int) (next[0]++ - first);
          if (value.size() != Digest.BYTES
              || !key.equals(rows.node(clueId, level, first + place))) {
            return false;
          }
          value.copyInto(into, place * Digest.BYTES);
          found[place] = true;
          return place + 1 < found.length;
        });
    for (int i = 0; i < found.length; i++) {
      if (!found[i]) {
        throw new CorruptStreamException(
            "tree rows of clue " + clueId + " of " + strand,
            (first + i) * Digest.BYTES,
            String.format(Locale.ROOT, "no node %d of level %d", first + i, level));
      }
    }
  }

  /// In the order of the entries, independent of the order of the workers.
  void savepoint(MetaBatch batch) {
    synchronized (fresh) {
      fresh.sort(Comparator.comparingLong(Fresh::cell).thenComparingInt(Fresh::level));
      for (Fresh node : fresh) {
        batch.put(node.key(), node.value());
        saving.add(node.key());
      }
      fresh.clear();
    }
  }

  /// @return how many waited
  int saved() {
    int count = saving.size();
    saving.forEach(unsaved::remove);
    saving.clear();
    return count;
  }
}
