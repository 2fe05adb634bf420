package io.tallystick.storage.clue;

import io.tallystick.model.Digest;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// A clue's head in memory: one byte array, so that a hundred thousand are no more than their bytes
/// and an append touches one place. Integers are big-endian, as in the rows they are copied to.
///
/// ```
///  0        32      36      37      40      48           56      64         64+32L   64+48L
///  +--------+-------+-------+-------+-------+------------+-------+----------+--------+----------+
///  | clueId | share | flags | trees | count | deletedJsn | shape | frontier | spine  | samples  |
///  |        |  u32  |  u8   |  u8   |  u64  |    u64     |  u64  |  32 × L  | 16 × L | 80 × L   |
///  +--------+-------+-------+-------+-------+------------+-------+----------+--------+----------+
/// ```
///
/// L, the levels there is room for, is at least the number of bits of count. The frontier has a
/// hash for each bit of count. The spine is the roots of the list's trees, the newest entry last,
/// and shape their sizes ({@link SkipGeometry}). A sample is an entry of the list, like one of the
/// spine (cell u64, jsn u64), to begin a look-up from: every s-th entry has a place, s being the
/// least power of two for which there are places enough. Those whose jsn is 0 are not known.
final class HeadBytes {
  /// Changed since the last savepoint.
  static final int DIRTY = 1;

  /// In the batch of a savepoint that may not be written yet.
  static final int SAVING = 2;

  /// Changed since the changed clues were last visited.
  static final int TOUCHED = 4;

  /// Looked at since the last sweep for room.
  static final int USED = 8;

  static final int UNEVICTABLE = DIRTY | SAVING | TOUCHED;

  static final int SPINE_ENTRY_BYTES = 2 * Long.BYTES;
  private static final int SHARE_AT = 32;
  private static final int FLAGS_AT = 36;
  private static final int TREES_AT = 37;
  private static final int COUNT_AT = 40;
  private static final int DELETED_AT = 48;
  private static final int SHAPE_AT = 56;
  private static final int LEVELS_AT = 64;
  private static final int SAMPLES_PER_LEVEL = 5;
  private static final int LEVEL_BYTES =
      Digest.BYTES + SPINE_ENTRY_BYTES + SAMPLES_PER_LEVEL * SPINE_ENTRY_BYTES;

  private static final int CACHE_LINE_BYTES = 64;

  /// What the array and its place in a table take besides its bytes.
  private static final int OVERHEAD_BYTES = 36;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private HeadBytes() {}

  /// A head without entries, with room for `count` of them.
  static byte[] create(int share, Digest clueId, long count) {
    byte[] head = new byte[LEVELS_AT + LEVEL_BYTES * levelsFor(count)];
    clueId.copyInto(head, 0);
    INT.set(head, SHARE_AT, share);
    return head;
  }

  private static int levelsFor(long count) {
    int bits = Long.SIZE - Long.numberOfLeadingZeros(count);
    return Math.max(1, bits);
  }

  static boolean hasRoomFor(byte[] head, long count) {
    return count >>> levels(head) == 0;
  }

  /// Reads what an append reads.
  static int touch(byte[] head) {
    int sum = 0;
    for (int at = 0; at < sampleAt(head, 0); at += CACHE_LINE_BYTES) {
      sum += head[at];
    }
    return sum;
  }

  /// A copy with room for `count` entries.
  static byte[] grown(byte[] head, long count) {
    byte[] grown = Arrays.copyOf(head, LEVELS_AT + LEVEL_BYTES * levelsFor(count));
    int from = spineAt(head, 0);
    int to = spineAt(grown, 0);
    Arrays.fill(grown, from, grown.length, (byte) 0);
    System.arraycopy(head, from, grown, to, trees(head) * SPINE_ENTRY_BYTES);
    for (long place = 0; (place + 1) << stride(head) <= count(head); place++) {
      long index = ((place + 1) << stride(head)) - 1;
      int at = sampleAt(head, place);
      sample(grown, index, (long) LONG.get(head, at), (long) LONG.get(head, at + Long.BYTES));
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

  static int share(byte[] head) {
    return (int) INT.get(head, SHARE_AT);
  }

  static boolean has(byte[] head, int anyOf) {
    return (head[FLAGS_AT] & anyOf) != 0;
  }

  static void set(byte[] head, int flags) {
    head[FLAGS_AT] |= (byte) flags;
  }

  static void clear(byte[] head, int flags) {
    head[FLAGS_AT] &= (byte) ~flags;
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

  /// Makes an entry below count, or the next one, a sample if its index is one that has a place.
  static void sample(byte[] head, long index, long cell, long jsn) {
    int stride = stride(head);
    if (((index + 1) & ((1L << stride) - 1)) == 0) {
      int at = sampleAt(head, ((index + 1) >> stride) - 1);
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
    return (int) (count(head) >>> stride(head));
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

  private static int sampleAt(byte[] head, long place) {
    return spineAt(head, levels(head)) + (int) place * SPINE_ENTRY_BYTES;
  }

  static long lastCell(byte[] head) {
    return spineCell(head, trees(head) - 1);
  }

  static long lastJsn(byte[] head) {
    return spineJsn(head, trees(head) - 1);
  }

  private static int levels(byte[] head) {
    return (head.length - LEVELS_AT) / LEVEL_BYTES;
  }

  static int spineAt(byte[] head, int place) {
    return LEVELS_AT + Digest.BYTES * levels(head) + SPINE_ENTRY_BYTES * place;
  }

  /// Where the hash of the frontier's subtree of 2^level leaves is, if count has that bit.
  static int frontierAt(int level) {
    return LEVELS_AT + Digest.BYTES * level;
  }
}
