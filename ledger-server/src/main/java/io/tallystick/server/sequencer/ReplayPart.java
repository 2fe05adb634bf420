package io.tallystick.server.sequencer;

/// A part of the {@link ReplayTable}: open addressing over one array of longs, four per slot.
final class ReplayPart {
  static final int NOT_FOUND = -1;
  static final int SLOT_BYTES = 4 * Long.BYTES;
  private static final int LONGS = 4;
  private static final int SIGNERS_BITS = 8;
  private static final int SIGNERS_MASK = (1 << SIGNERS_BITS) - 1;
  private static final int INITIAL_SLOTS = 1 << 6;

  private long[] slots = new long[INITIAL_SLOTS * LONGS];
  private int entries;

  int slots() {
    return slots.length / LONGS;
  }

  int find(long high, long low, long nowMs) {
    int slot = probe(high, low);
    return isUsed(slot) && expiresMs(slot) >= nowMs ? slot : NOT_FOUND;
  }

  long touch(long high) {
    return slots[home(high, slots() - 1) * LONGS];
  }

  long firstJsn(int slot) {
    return slots[slot * LONGS + 2];
  }

  int signers(int slot) {
    return (int) (slots[slot * LONGS + 3] & SIGNERS_MASK);
  }

  private long expiresMs(int slot) {
    return slots[slot * LONGS + 3] >>> SIGNERS_BITS;
  }

  /// @return whether the id is new
  boolean put(long high, long low, long firstJsn, int signers, long expiresMs) {
    if (4L * (entries + 1) > 3L * slots()) {
      grow();
    }
    int slot = probe(high, low);
    boolean added = !isUsed(slot);
    entries += added ? 1 : 0;
    slots[slot * LONGS] = high;
    slots[slot * LONGS + 1] = low;
    slots[slot * LONGS + 2] = firstJsn;
    slots[slot * LONGS + 3] = expiresMs << SIGNERS_BITS | signers;
    return added;
  }

  /// @return whether it was there
  boolean remove(long high, long low) {
    int slot = probe(high, low);
    boolean found = isUsed(slot);
    if (found) {
      removeSlot(slot);
    }
    return found;
  }

  /// Drops expired entries from `count` slots.
  ///
  /// @return how many
  int sweep(int from, int count, long nowMs) {
    int before = entries;
    for (int slot = from; slot < from + count; slot++) {
      while (isUsed(slot) && expiresMs(slot) < nowMs) {
        removeSlot(slot);
      }
    }
    return before - entries;
  }

  /// The slot of an id, or the free slot where it would go.
  private int probe(long high, long low) {
    int mask = slots() - 1;
    int slot = home(high, mask);
    while (isUsed(slot) && !(slots[slot * LONGS] == high && slots[slot * LONGS + 1] == low)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /// Backward-shift deletion: every follower that may stand in the hole moves up.
  private void removeSlot(int removed) {
    int mask = slots() - 1;
    int hole = removed;
    for (int slot = (hole + 1) & mask; isUsed(slot); slot = (slot + 1) & mask) {
      int home = home(slots[slot * LONGS], mask);
      if (((slot - home) & mask) >= ((slot - hole) & mask)) {
        System.arraycopy(slots, slot * LONGS, slots, hole * LONGS, LONGS);
        hole = slot;
      }
    }
    slots[hole * LONGS + 3] = 0;
    entries--;
  }

  private void grow() {
    long[] old = slots;
    slots = new long[old.length * 2];
    for (int i = 0; i < old.length; i += LONGS) {
      if (old[i + 3] != 0) {
        System.arraycopy(old, i, slots, probe(old[i], old[i + 1]) * LONGS, LONGS);
      }
    }
  }

  private boolean isUsed(int slot) {
    return slots[slot * LONGS + 3] != 0;
  }

  private static int home(long high, int mask) {
    return (int) (high >>> 32) & mask;
  }
}
