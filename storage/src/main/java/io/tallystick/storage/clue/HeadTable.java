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
      if (HeadBytes.is(head, share, clueId)) {
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

  /// How many heads were ever removed: who read a head's row without the monitor may add it only if
  /// none was since, or it might be older than one that was here meanwhile.
  long removals() {
    return removals;
  }

  /// Adds a head that is not here.
  ///
  /// @return its slot
  int add(byte[] head) {
    if (count >= heads.length / 2) {
      rehash(heads.length * 2);
    }
    int slot = freeSlot(HeadBytes.share(head), HeadBytes.clueId(head));
    heads[slot] = head;
    count++;
    return slot;
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
        if (HeadBytes.has(head, HeadBytes.USED)) {
          HeadBytes.clear(head, HeadBytes.USED);
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
      int home = home(head(next));
      // A head may move back to the hole unless its home lies behind it.
      if (((next - home) & mask) >= ((next - hole) & mask)) {
        heads[hole] = heads[next];
        hole = next;
      }
    }
    heads[hole] = null;
    count--;
    removals++;
  }

  private void rehash(int slots) {
    byte[] @Nullable [] old = heads;
    heads = new byte[slots][];
    for (byte[] head : old) {
      if (head != null) {
        heads[freeSlot(HeadBytes.share(head), HeadBytes.clueId(head))] = head;
      }
    }
  }

  private int freeSlot(int share, Digest clueId) {
    int slot = memory.place(share, clueId) & (heads.length - 1);
    while (heads[slot] != null) {
      slot = (slot + 1) & (heads.length - 1);
    }
    return slot;
  }

  private int home(byte[] head) {
    return memory.place(HeadBytes.share(head), HeadBytes.clueId(head)) & (heads.length - 1);
  }
}
