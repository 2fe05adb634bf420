package io.tallystick.storage.clue;

import io.tallystick.crypto.Keccak256;
import io.tallystick.model.Digest;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// A clue's head in memory: one byte array, so that a hundred thousand are no more than their bytes
/// and an append touches one place. Integers are big-endian, as in the rows they are copied to.
///
/// ```
///  0        32    64      68      69     70      71       72      80           88      96
///  +--------+-----+-------+-------+------+-------+--------+-------+------------+-------+
///  | clueId | key | share | flags | used | trees | levels | count | deletedJsn | shape |
///  |        |     |  u32  |  u8   |  u8  |  u8   |   u8   |  u64  |    u64     |  u64  |
///  +--------+-----+-------+-------+------+-------+--------+-------+------------+-------+
///  96         96+32L   96+48L     96+48L or 96+128L
///  +----------+--------+----------+
///  | frontier | spine  | samples  |
///  |  32 × L  | 16 × L | 80 × L   |
///  +----------+--------+----------+
/// ```
///
/// L, the levels there is room for, is at least the number of bits of count. Key is the clue's in
/// the trie, kept because it costs as much as three nodes of the tree. The frontier has a hash for
/// each bit of count. The spine is the roots of the list's trees, the newest entry last, and shape
/// their sizes ({@link SkipGeometry}). A sample is an entry of the list, like one of the spine
/// (cell u64, jsn u64), to begin a look-up from: every s-th entry has a place, s being the least
/// power of two for which there are places enough. Those whose jsn is 0 are not known. A head may
/// do without samples.
///
/// Used is anybody's to set, with the table's monitor; the rest is changed by the owner of the
/// index or the one worker that has the table: under the monitor where others read it, which flags
/// are not.
final class HeadBytes {
  /// Changed since the last savepoint.
  static final int DIRTY = 1;

  /// In the batch of a savepoint that may not be written yet.
  static final int SAVING = 2;

  /// Changed since the changed clues were last visited.
  static final int TOUCHED = 4;

  /// Found to be what the index's witness knows.
  static final int CHECKED = 8;

  static final int UNEVICTABLE = DIRTY | SAVING | TOUCHED;

  static final int SPINE_ENTRY_BYTES = 2 * Long.BYTES;
  private static final int KEY_AT = Digest.BYTES;
  private static final int SHARE_AT = KEY_AT + Digest.BYTES;
  private static final int FLAGS_AT = SHARE_AT + Integer.BYTES;
  private static final int USED_AT = FLAGS_AT + 1;
  private static final int TREES_AT = USED_AT + 1;
  private static final int LEVELS_AT = TREES_AT + 1;
  private static final int COUNT_AT = LEVELS_AT + 1;
  private static final int DELETED_AT = COUNT_AT + Long.BYTES;
  private static final int SHAPE_AT = DELETED_AT + Long.BYTES;
  private static final int FRONTIER_AT = SHAPE_AT + Long.BYTES;
  private static final int LEVEL_BYTES = Digest.BYTES + SPINE_ENTRY_BYTES;
  private static final int SAMPLES_PER_LEVEL = 5;
  private static final int SAMPLE_LEVEL_BYTES = SAMPLES_PER_LEVEL * SPINE_ENTRY_BYTES;

  private static final int CACHE_LINE_BYTES = 64;

  /// The bytes that the array and its place in a table take besides its content.
  private static final int OVERHEAD_BYTES = 36;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private HeadBytes() {}

  /// A head without entries, with room for `count` of them.
  static byte[] create(int share, Digest clueId, long count) {
    int levels = levelsFor(count);
    byte[] head = new byte[FRONTIER_AT + LEVEL_BYTES * levels];
    clueId.copyInto(head, 0);
    Keccak256.hash(head, 0, Digest.BYTES, head, KEY_AT);
    INT.set(head, SHARE_AT, share);
    head[LEVELS_AT] = (byte) levels;
    return head;
  }

  private static int levelsFor(long count) {
    int bits = Long.SIZE - Long.numberOfLeadingZeros(count);
    return Math.max(1, bits);
  }

  static boolean hasRoomFor(byte[] head, long count) {
    return count >>> levels(head) == 0;
  }

  /// Reads of an append what every head has, without a look at what is read.
  static int touchFront(byte[] head) {
    return head[0] + head[CACHE_LINE_BYTES] + head[2 * CACHE_LINE_BYTES];
  }

  /// Reads the rest of what an append reads.
  static int touchRest(byte[] head) {
    int sum = 0;
    int end = spineAt(head, levels(head));
    for (int at = 3 * CACHE_LINE_BYTES; at < end; at += CACHE_LINE_BYTES) {
      sum += head[at];
    }
    return sum;
  }

  /// A copy with room for `count` entries.
  ///
  /// @param sampled whether with samples; what was known of them is kept
  static byte[] grown(byte[] head, long count, boolean sampled) {
    int levels = levelsFor(count);
    int levelBytes = sampled ? LEVEL_BYTES + SAMPLE_LEVEL_BYTES : LEVEL_BYTES;
    byte[] grown = new byte[FRONTIER_AT + levelBytes * levels];
    System.arraycopy(head, 0, grown, 0, spineAt(head, 0));
    grown[LEVELS_AT] = (byte) levels;
    int spineBytes = trees(head) * SPINE_ENTRY_BYTES;
    System.arraycopy(head, spineAt(head, 0), grown, spineAt(grown, 0), spineBytes);
    for (int place = 0; place < samples(head); place++) {
      sample(grown, sampleIndex(head, place), sampleCell(head, place), sampleJsn(head, place));
    }
    return grown;
  }

  static int memoryBytes(byte[] head) {
    return head.length + OVERHEAD_BYTES;
  }

  static boolean is(byte[] head, int share, Digest clueId) {
    return (int) INT.get(head, SHARE_AT) == share && Digest.of(head, 0).equals(clueId);
  }

  static Digest clueId(byte[] head) {
    return Digest.of(head, 0);
  }

  /// The clue's key in the trie: the Keccak-256 of its id.
  static Digest key(byte[] head) {
    return Digest.of(head, KEY_AT);
  }

  static int share(byte[] head) {
    return (int) INT.get(head, SHARE_AT);
  }

  static boolean has(byte[] head, int anyOf) {
    return (head[FLAGS_AT] & anyOf) != 0;
  }

  /// Those of `flags` that the head does not have.
  static int missing(byte[] head, int flags) {
    return flags & ~head[FLAGS_AT];
  }

  static void set(byte[] head, int flags) {
    head[FLAGS_AT] |= (byte) flags;
  }

  static void clear(byte[] head, int flags) {
    head[FLAGS_AT] &= (byte) ~flags;
  }

  /// From one savepoint's care into the next's, at no moment in none's.
  static void saving(byte[] head) {
    head[FLAGS_AT] = (byte) ((head[FLAGS_AT] & ~DIRTY) | SAVING);
  }

  /// Whether it was looked at since the last sweep for room.
  static boolean used(byte[] head) {
    return head[USED_AT] != 0;
  }

  static void used(byte[] head, boolean used) {
    head[USED_AT] = (byte) (used ? 1 : 0);
  }

  static long count(byte[] head) {
    return (long) LONG.get(head, COUNT_AT);
  }

  static long shape(byte[] head) {
    return (long) LONG.get(head, SHAPE_AT);
  }

  static void count(byte[] head, long count, long shape) {
    LONG.set(head, COUNT_AT, count);
    LONG.set(head, SHAPE_AT, shape);
  }

  static long deletedJsn(byte[] head) {
    return (long) LONG.get(head, DELETED_AT);
  }

  static void deletedJsn(byte[] head, long jsn) {
    LONG.set(head, DELETED_AT, jsn);
  }

  /// Entries of the spine.
  static int trees(byte[] head) {
    return head[TREES_AT];
  }

  /// @param place from 0, the oldest, to {@link #trees} − 1, the newest entry of the list
  static long spineCell(byte[] head, int place) {
    return (long) LONG.get(head, spineAt(head, place));
  }

  static long spineJsn(byte[] head, int place) {
    return (long) LONG.get(head, spineAt(head, place) + Long.BYTES);
  }

  /// Makes `cell` the newest entry, and the spine as long as given.
  static void push(byte[] head, int trees, long cell, long jsn) {
    int at = spineAt(head, trees - 1);
    LONG.set(head, at, cell);
    LONG.set(head, at + Long.BYTES, jsn);
    head[TREES_AT] = (byte) trees;
  }

  private static boolean isSampled(byte[] head) {
    return head.length > spineAt(head, levels(head));
  }

  /// Makes an entry below count, or the next one, a sample if its index is one that has a place.
  static void sample(byte[] head, long index, long cell, long jsn) {
    if (!isSampled(head)) {
      return;
    }
    int stride = stride(head);
    if (((index + 1) & ((1L << stride) - 1)) == 0) {
      int at = sampleAt(head, (int) ((index + 1) >> stride) - 1);
      LONG.set(head, at, cell);
      LONG.set(head, at + Long.BYTES, jsn);
    }
  }

  /// Entries from one sample to the next, as a power of two. It is that of the largest count there
  /// is room for, so that it does not change before the head grows.
  private static int stride(byte[] head) {
    int levels = levels(head);
    int places = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(levels * SAMPLES_PER_LEVEL);
    return Math.max(0, levels - places);
  }

  /// The places of samples up to count.
  static int samples(byte[] head) {
    return isSampled(head) ? (int) (count(head) >>> stride(head)) : 0;
  }

  static long sampleIndex(byte[] head, int place) {
    return ((place + 1L) << stride(head)) - 1;
  }

  static long sampleCell(byte[] head, int place) {
    return (long) LONG.get(head, sampleAt(head, place));
  }

  /// 0 if the sample is not known.
  static long sampleJsn(byte[] head, int place) {
    return (long) LONG.get(head, sampleAt(head, place) + Long.BYTES);
  }

  private static int sampleAt(byte[] head, int place) {
    return spineAt(head, levels(head) + place);
  }

  static long lastCell(byte[] head) {
    return spineCell(head, trees(head) - 1);
  }

  static long lastJsn(byte[] head) {
    return spineJsn(head, trees(head) - 1);
  }

  private static int levels(byte[] head) {
    return head[LEVELS_AT];
  }

  static int spineAt(byte[] head, int place) {
    return FRONTIER_AT + Digest.BYTES * levels(head) + SPINE_ENTRY_BYTES * place;
  }

  /// Where the hash of the frontier's subtree of 2^level leaves is, if count has that bit.
  static int frontierAt(int level) {
    return FRONTIER_AT + Digest.BYTES * level;
  }
}
