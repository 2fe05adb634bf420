package io.tallystick.server.sequencer;

/// 128-bit signature id → (first jsn, signers, latest expiry) of every submission that could still
/// be repeated. Open addressing over one array of longs, four per slot; bounded memory. Owner
/// thread only. Source: BYTES, "Replay"; ENGINE, "Replay table".
///
/// Ids are SHA-256 prefixes, so a slot is found by their first bits. They are chosen by clients,
/// who gain nothing by aiming at one slot: a signature must verify before its id gets here.
public final class ReplayTable {
  static final int NOT_FOUND = -1;
  private static final int LONGS = 4;
  private static final int SIGNERS_BITS = 8;
  private static final int SIGNERS_MASK = (1 << SIGNERS_BITS) - 1;
  private static final int INITIAL_SLOTS = 1 << 10;
  private static final int SWEEP_SLOTS = 512;

  private final int slotsMax;
  private long[] slots = new long[INITIAL_SLOTS * LONGS];
  private int entries;
  private int sweepAt;

  /// @param bytesMax memory bound; 75 MB in production
  public ReplayTable(long bytesMax) {
    long bound = Math.max(bytesMax / (LONGS * Long.BYTES), INITIAL_SLOTS);
    this.slotsMax = (int) Math.min(Long.highestOneBit(bound), 1 << 26);
  }

  public int entries() {
    return entries;
  }

  /// Whether `more` ids can be added now.
  public boolean hasRoom(int more) {
    return entries + more <= slotsMax / 4 * 3;
  }

  /// The slot of an id whose expiry has not passed, or {@link #NOT_FOUND}.
  int find(long high, long low, long nowMs) {
    int slot = probe(high, low);
    return isUsed(slot) && expiresMs(slot) >= nowMs ? slot : NOT_FOUND;
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

  /// Adds an id, replacing an expired entry of the same id. The bound is {@link #hasRoom}'s: what a
  /// durable frame recorded is taken even beyond it, since refusing it would keep a shard from
  /// opening.
  ///
  /// @param signers 1 to 255, of the submission
  public void put(long high, long low, long firstJsn, int signers, long expiresMs) {
    if (4L * (entries + 1) > 3L * (slots.length / LONGS)) {
      grow();
    }
    int slot = probe(high, low);
    entries += isUsed(slot) ? 0 : 1;
    slots[slot * LONGS] = high;
    slots[slot * LONGS + 1] = low;
    slots[slot * LONGS + 2] = firstJsn;
    slots[slot * LONGS + 3] = expiresMs << SIGNERS_BITS | signers;
  }

  /// Takes an id out again, when the frame that added it was not kept.
  void remove(long high, long low) {
    int slot = probe(high, low);
    if (isUsed(slot)) {
      removeSlot(slot);
    }
  }

  /// Drops expired entries from a bounded stretch of the table; called once per frame.
  void sweep(long nowMs) {
    int mask = mask();
    for (int i = Math.min(SWEEP_SLOTS, mask + 1); i > 0; i--) {
      sweepAt &= mask;
      while (isUsed(sweepAt) && expiresMs(sweepAt) < nowMs) {
        removeSlot(sweepAt);
      }
      sweepAt++;
    }
  }

  /// The slot of an id, or the free slot where it would go.
  private int probe(long high, long low) {
    int mask = mask();
    int slot = home(high, mask);
    while (isUsed(slot) && !(slots[slot * LONGS] == high && slots[slot * LONGS + 1] == low)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /// Backward-shift deletion: every follower that may stand in the hole moves up.
  private void removeSlot(int removed) {
    int mask = mask();
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

  private int mask() {
    return slots.length / LONGS - 1;
  }

  private static int home(long high, int mask) {
    return (int) (high >>> 32) & mask;
  }
}
