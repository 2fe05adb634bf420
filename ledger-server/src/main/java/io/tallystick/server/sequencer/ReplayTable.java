package io.tallystick.server.sequencer;

/// 128-bit signature id → (first jsn, signers, latest expiry) of every submission that could still
/// be repeated. Bounded memory. Owner thread only. Source: `docs/formats/signature.md`, "Replay".
///
/// Made of parts that grow each on its own, so that no single put copies a large table: at the
/// default bound 512 parts of 256 KiB at most. Ids are SHA-256 prefixes: their first bits choose
/// the part, later ones the slot. Clients choose them, but gain nothing by aiming at one slot: a
/// signature must verify before its id gets here.
public final class ReplayTable {
  static final int NOT_FOUND = -1;
  private static final int SLOTS_MIN = 1 << 10;
  private static final int SLOTS_MAX = 1 << 26;
  private static final int PART_SLOTS = 1 << 13;

  /// A slot is told by its part and its place in it; the rare part that outgrows its share has room
  /// to do so.
  private static final int PLACE_BITS = 18;

  private static final int PLACE_MASK = (1 << PLACE_BITS) - 1;

  /// Every entry is looked at once in so many milliseconds, unless frames are rare.
  private static final long SWEEP_MILLIS = 4000;

  private static final int SWEEP_SLOTS_MIN = 512;
  private static final int SWEEP_SLOTS_MAX = 1 << 16;

  private final int slotsMax;
  private final ReplayPart[] parts;
  private final int partShift;
  private int entries;
  private int sweepPart;
  private int sweepPlace;
  private long sweptMs;

  /// Memory for so many ids at once.
  public static long bytesFor(int ids) {
    return 2L * ids * ReplayPart.SLOT_BYTES;
  }

  /// @param bytesMax memory bound, rounded down to 32 bytes times a power of two, and up to 32 KiB
  public ReplayTable(long bytesMax) {
    long bound = Math.clamp(bytesMax / ReplayPart.SLOT_BYTES, SLOTS_MIN, SLOTS_MAX);
    this.slotsMax = (int) Long.highestOneBit(bound);
    int count = Math.max(1, slotsMax / PART_SLOTS);
    this.partShift = Long.numberOfLeadingZeros(count) + 1;
    this.parts = new ReplayPart[count];
    for (int i = 0; i < count; i++) {
      parts[i] = new ReplayPart();
    }
  }

  public int entries() {
    return entries;
  }

  /// Whether `more` ids can be added now: up to half of the bound is used, so that searches stay
  /// short.
  public boolean hasRoom(int more) {
    return entries + more <= slotsMax / 2;
  }

  /// The slot of an id whose expiry has not passed, or {@link #NOT_FOUND}. Good until the next put,
  /// removal or sweep.
  int find(long high, long low, long nowMs) {
    int number = partOf(high);
    int place = parts[number].find(high, low, nowMs);
    return place == ReplayPart.NOT_FOUND ? NOT_FOUND : number << PLACE_BITS | place;
  }

  long firstJsn(int slot) {
    return parts[slot >>> PLACE_BITS].firstJsn(slot & PLACE_MASK);
  }

  int signers(int slot) {
    return parts[slot >>> PLACE_BITS].signers(slot & PLACE_MASK);
  }

  /// Loads the slot where an id's search begins; the answer says nothing.
  long touch(long high) {
    return parts[partOf(high)].touch(high);
  }

  /// Adds an id, replacing an expired entry of the same id. The bound is {@link #hasRoom}'s: what a
  /// durable frame recorded is taken even beyond it, since refusing it would keep a shard from
  /// opening.
  ///
  /// @param signers 1 to 255, of the submission
  public void put(long high, long low, long firstJsn, int signers, long expiresMs) {
    entries += parts[partOf(high)].put(high, low, firstJsn, signers, expiresMs) ? 1 : 0;
  }

  /// Takes an id out again, when the frame that added it was not kept.
  void remove(long high, long low) {
    entries -= parts[partOf(high)].remove(high, low) ? 1 : 0;
  }

  /// Drops expired entries from a stretch of the table that grows with the time since the last
  /// call; called once per frame.
  void sweep(long nowMs) {
    long elapsed = Math.clamp(nowMs - sweptMs, 0, SWEEP_MILLIS);
    sweptMs = nowMs;
    long due = slotsMax * elapsed / SWEEP_MILLIS;
    int left = Math.clamp(due, SWEEP_SLOTS_MIN, SWEEP_SLOTS_MAX);
    while (left > 0) {
      ReplayPart part = parts[sweepPart];
      int stretch = Math.min(left, part.slots() - sweepPlace);
      entries -= part.sweep(sweepPlace, stretch, nowMs);
      sweepPlace += stretch;
      left -= stretch;
      if (sweepPlace >= part.slots()) {
        sweepPlace = 0;
        sweepPart = (sweepPart + 1) % parts.length;
        left = sweepPart == 0 ? 0 : left;
      }
    }
  }

  /// By the first bits; Java shifts by 64 as by 0, hence the case of a single part.
  private int partOf(long high) {
    return parts.length == 1 ? 0 : (int) (high >>> partShift);
  }
}
