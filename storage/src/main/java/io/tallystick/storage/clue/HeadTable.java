package io.tallystick.storage.clue;

import io.tallystick.model.Digest;
import org.jspecify.annotations.Nullable;

/// A part of the heads in memory: open addressing, linear probing, no holes left by a removal. All
/// calls hold the table's monitor.
final class HeadTable {
  private static final int SLOTS_MIN = 8;
  static final int NONE = -1;

  private final ClueMemory memory;
  private byte[] @Nullable [] heads = new byte[SLOTS_MIN][];
  private int[] places = new int[SLOTS_MIN]; // of the head in the same slot
  private int count;
  private int hand;
  private long removals;

  HeadTable(ClueMemory memory) {
    this.memory = memory;
  }

  /// The slot of a head, {@link #NONE} if it is not here. Good until a head is added or removed.
  ///
  /// @param place of the clue, from {@link ClueMemory#place}
  int find(int share, Digest clueId, int place) {
    int slot = place & (heads.length - 1);
    for (byte[] head = heads[slot]; head != null; head = heads[slot]) {
      if (places[slot] == place && HeadBytes.is(head, share, clueId)) {
        return slot;
      }
      slot = (slot + 1) & (heads.length - 1);
    }
    return NONE;
  }

  byte[] head(int slot) {
    byte[] head = heads[slot];
    if (head == null) {
      throw new AssertionError("no head in slot " + slot);
    }
    return head;
  }

  /// How many heads were ever removed: a thread that read a head's row without the monitor may add
  /// it only if none was removed since. Otherwise the row might be older than a head that was here
  /// meanwhile.
  long removals() {
    return removals;
  }

  /// Adds a head that is not here.
  void add(byte[] head, int place) {
    if (count >= heads.length / 2) {
      rehash(heads.length * 2);
    }
    put(head, place);
    count++;
  }

  /// Puts a grown copy into the place of its original.
  void replace(int slot, byte[] head) {
    heads[slot] = head;
  }

  /// Looks at the next `slotsMax` slots, and removes heads that may be, had not been used since the
  /// last look, and are too much.
  ///
  /// @return the bytes freed
  long sweep(int slotsMax, long bytesWanted) {
    long freed = 0;
    for (int i = 0; i < slotsMax && freed < bytesWanted; i++) {
      hand &= heads.length - 1;
      byte[] head = heads[hand];
      if (head != null && memory.mayEvict(head)) {
        if (HeadBytes.used(head)) {
          HeadBytes.used(head, false);
        } else {
          freed += HeadBytes.memoryBytes(head);
          remove(hand);
          continue; // another head may have moved here
        }
      }
      hand++;
    }
    return freed;
  }

  private void remove(int slot) {
    int hole = slot;
    int mask = heads.length - 1;
    for (int next = (hole + 1) & mask; heads[next] != null; next = (next + 1) & mask) {
      // A head may move back to the hole unless its place lies behind it.
      if (((next - places[next]) & mask) >= ((next - hole) & mask)) {
        heads[hole] = heads[next];
        places[hole] = places[next];
        hole = next;
      }
    }
    heads[hole] = null;
    count--;
    removals++;
  }

  private void rehash(int slots) {
    byte[] @Nullable [] oldHeads = heads;
    int[] oldPlaces = places;
    heads = new byte[slots][];
    places = new int[slots];
    for (int slot = 0; slot < oldHeads.length; slot++) {
      byte[] head = oldHeads[slot];
      if (head != null) {
        put(head, oldPlaces[slot]);
      }
    }
  }

  private void put(byte[] head, int place) {
    int slot = place & (heads.length - 1);
    while (heads[slot] != null) {
      slot = (slot + 1) & (heads.length - 1);
    }
    heads[slot] = head;
    places[slot] = place;
  }

  /// The head in a place, most likely: of two clues with one place it is either. Reads no head;
  /// null if there is none.
  byte @Nullable [] guess(int place) {
    int slot = place & (heads.length - 1);
    while (heads[slot] != null && places[slot] != place) {
      slot = (slot + 1) & (heads.length - 1);
    }
    return heads[slot];
  }
}
