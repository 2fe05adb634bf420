package io.tallystick.storage.clue;

import io.tallystick.model.Digest;
import java.security.SecureRandom;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// The heads of clues in memory, of all clue indexes of a shard, bounded in bytes. Heads that no
/// savepoint holds stay whatever they take; the owner takes a savepoint when {@link #savepointDue}.
/// Others make room when more come, those not used for a while first. Thread-safe: the heads lie in
/// parts, each with a monitor held for the time of a look-up or of some dozens of appends.
public final class ClueMemory {
  /// Some 140,000 heads of clues with a hundred journals each.
  public static final long DEFAULT_BYTES = 64L << 20;

  /// Parts that the heads lie in.
  static final int TABLES = 64;

  private static final int TABLE_SHIFT = Integer.SIZE - Integer.numberOfTrailingZeros(TABLES);
  private static final int SWEEP_SLOTS_MAX = 256;

  private final long bytesMax;
  private final HeadTable[] tables = new HeadTable[TABLES];
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong unsavedBytes = new AtomicLong();
  private final AtomicInteger shares = new AtomicInteger();
  private final Set<Integer> closed = ConcurrentHashMap.newKeySet();

  // Strangers choose clues, so places depend on secrets of this process.
  private final long firstKey;
  private final long secondKey;

  /// @param bytesMax above which heads that savepoints hold make room
  public ClueMemory(long bytesMax) {
    if (bytesMax < 0) {
      throw new IllegalArgumentException(bytesMax + " bytes");
    }
    this.bytesMax = bytesMax;
    SecureRandom random = new SecureRandom();
    firstKey = random.nextLong() | 1;
    secondKey = random.nextLong() | 1;
    for (int i = 0; i < TABLES; i++) {
      tables[i] = new HeadTable(this);
    }
  }

  /// The bytes that the heads take.
  public long bytes() {
    return bytes.get();
  }

  /// The bytes of those heads and tree nodes that only the next savepoint lets go of.
  public long unsavedBytes() {
    return unsavedBytes.get();
  }

  /// Whether what waits for a savepoint takes more than three quarters of the room.
  public boolean savepointDue() {
    return unsavedBytes() > bytesMax / 4 * 3;
  }

  /// Whether there is memory for what only makes look-ups faster.
  boolean isRoomy() {
    return bytes() < bytesMax / 2;
  }

  /// A number for an index that is being opened; no head of an earlier opening is found under it.
  int share() {
    return shares.incrementAndGet();
  }

  /// The heads of this share may go, saved or not.
  void close(int share) {
    closed.add(share);
  }

  boolean mayEvict(byte[] head) {
    return !HeadBytes.has(head, HeadBytes.UNEVICTABLE) || closed.contains(HeadBytes.share(head));
  }

  /// Where to look for a head, in which part and in it.
  int place(int share, Digest clueId) {
    return (int) (clueId.mixed(firstKey, secondKey) >>> Integer.SIZE) + share * 0x9E3779B9;
  }

  /// The part in which a clue's head is or would be.
  HeadTable table(int place) {
    return tables[tableNumber(place)];
  }

  static int tableNumber(int place) {
    return place >>> TABLE_SHIFT;
  }

  HeadTable tableAt(int number) {
    return tables[number];
  }

  void unsaved(long more) {
    unsavedBytes.addAndGet(more);
  }

  /// Counts a head that was added or has grown, and makes room for it. Slots of `table` move.
  void grew(HeadTable table, long more) {
    long over = bytes.addAndGet(more) - bytesMax;
    if (over > 0) {
      bytes.addAndGet(-table.sweep(SWEEP_SLOTS_MAX, over));
    }
  }
}
