package io.tallystick.storage.clue;

import io.tallystick.model.Digest;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Journals of clues that are appended together, in order. One thread fills it; it may be cleared
/// and filled again, which keeps its memory.
public final class ClueBatch {
  /// Entries of one batch; of some 60 bytes each.
  public static final int ENTRIES_MAX = 1 << 13;

  private static final int ENTRIES_MIN = 8;
  private static final byte PENDING = -1;

  private @Nullable Digest[] clueIds = new Digest[ENTRIES_MIN];
  private long[] jsns = new long[ENTRIES_MIN];
  private boolean[] deletions = new boolean[ENTRIES_MIN];
  private byte[] leafHashes = new byte[ENTRIES_MIN * Digest.BYTES];
  private int size;

  // While it is appended: the entries of each table, in order, one table's behind the other's.
  private int[] places = {};
  private int[] order = {};
  private final int[] ends = new int[ClueMemory.TABLES + 1];

  // The outcome of each entry.
  private byte[] @Nullable [] heads = {};
  private byte[] lists = {};

  /// An empty one.
  public ClueBatch() {}

  /// Adds a journal that is to be its clue's newest entry; a clue that was deleted is so no more,
  /// unless the journal deletes it.
  ///
  /// @param jsn above those of the clue's entries, at least 1
  /// @param leafHash of the journal, 32 bytes at `offset`, copied
  public void add(Digest clueId, long jsn, byte[] leafHash, int offset, boolean deletes) {
    Objects.checkFromIndexSize(offset, Digest.BYTES, leafHash.length);
    if (jsn < 1) {
      throw new IllegalArgumentException("journal " + jsn); // 0 is the genesis leaf
    }
    if (isFull()) {
      throw new IllegalStateException(
          String.format(Locale.ROOT, "%d entries are all there may be", size));
    }
    if (size == jsns.length) {
      grow();
    }
    clueIds[size] = clueId;
    jsns[size] = jsn;
    deletions[size] = deletes;
    System.arraycopy(leafHash, offset, leafHashes, leafHashAt(size), Digest.BYTES);
    size++;
  }

  private void grow() {
    int room = Math.min(ENTRIES_MAX, 2 * size);
    clueIds = Arrays.copyOf(clueIds, room);
    jsns = Arrays.copyOf(jsns, room);
    deletions = Arrays.copyOf(deletions, room);
    leafHashes = Arrays.copyOf(leafHashes, room * Digest.BYTES);
  }

  public int size() {
    return size;
  }

  public boolean isFull() {
    return size == ENTRIES_MAX;
  }

  /// Empties it.
  public void clear() {
    Arrays.fill(clueIds, 0, size, null);
    Arrays.fill(heads, 0, Math.min(size, heads.length), null);
    size = 0;
  }

  Digest clueId(int entry) {
    return Objects.requireNonNull(clueIds[entry]);
  }

  long jsn(int entry) {
    return jsns[entry];
  }

  /// The entry's jsn if it deletes the clue, else 0.
  long deletedJsn(int entry) {
    return deletions[entry] ? jsns[entry] : 0;
  }

  byte[] leafHashes() {
    return leafHashes;
  }

  static int leafHashAt(int entry) {
    return entry * Digest.BYTES;
  }

  /// Puts the entries of each of the memory's tables beside each other, and says that all are
  /// pending.
  void arrange(ClueHeads index) {
    if (order.length < size) {
      places = new int[jsns.length];
      order = new int[jsns.length];
      heads = new byte[jsns.length][];
      lists = new byte[jsns.length];
    }
    Arrays.fill(ends, 0);
    for (int entry = 0; entry < size; entry++) {
      int place = index.place(clueId(entry));
      places[entry] = place;
      ends[ClueMemory.tableNumber(place) + 1]++;
    }
    for (int table = 1; table < ends.length; table++) {
      ends[table] += ends[table - 1];
    }
    for (int entry = 0; entry < size; entry++) {
      order[ends[ClueMemory.tableNumber(places[entry])]++] = entry;
    }
    Arrays.fill(lists, 0, size, PENDING);
  }

  /// Where a table's entries begin in the order.
  int first(int table) {
    return table == 0 ? 0 : ends[table - 1];
  }

  /// One past the last of a table's entries.
  int end(int table) {
    return ends[table];
  }

  /// The entry at `position` of the order.
  int at(int position) {
    return order[position];
  }

  int place(int entry) {
    return places[entry];
  }

  boolean isPending(int entry) {
    return lists[entry] == PENDING;
  }

  /// Says that an entry is appended.
  ///
  /// @param head the clue's with this entry
  /// @param missing flags of the lists that the head is not in yet
  void appended(int entry, byte[] head, int missing) {
    heads[entry] = head;
    lists[entry] = (byte) missing;
  }

  byte[] head(int entry) {
    return Objects.requireNonNull(heads[entry]);
  }

  int missing(int entry) {
    return lists[entry];
  }
}
