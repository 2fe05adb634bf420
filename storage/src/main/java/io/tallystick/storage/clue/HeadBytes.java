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
///  0        32      36      37      40      48           56            56 + 32 L        56 + 48 L
///  +--------+-------+-------+-------+-------+------------+-------------+----------------+
///  | clueId | share | flags | trees | count | deletedJsn | frontier:   | spine, oldest  |
///  |        |  u32  |  u8   |  u8   |  u64  |    u64     | a hash per  | first: cell    |
///  |        |       |       |       |       |            | bit of count| u64, jsn u64   |
///  +--------+-------+-------+-------+-------+------------+-------------+----------------+
/// ```
///
/// L, the levels there is room for, is at least the number of bits of count. The spine is the roots
/// of the list's trees ({@link SkipGeometry}): the newest entry last.
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
  private static final int LEVELS_AT = 56;
  private static final int LEVEL_BYTES = Digest.BYTES + SPINE_ENTRY_BYTES;

  /// What the array and its place in a table take besides its bytes.
  private static final int OVERHEAD_BYTES = 28;

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

  /// Few sizes, so that a growing head is seldom copied.
  private static int levelsFor(long count) {
    int bits = Long.SIZE - Long.numberOfLeadingZeros(count);
    return bits < 2 ? 1 : bits + (bits & 1);
  }

  static boolean hasRoomFor(byte[] head, long count) {
    return count >>> levels(head) == 0;
  }

  /// A copy with room for `count` entries.
  static byte[] grown(byte[] head, long count) {
    byte[] grown = Arrays.copyOf(head, LEVELS_AT + LEVEL_BYTES * levelsFor(count));
    int from = spineAt(head, 0);
    int to = spineAt(grown, 0);
    Arrays.fill(grown, from, grown.length, (byte) 0);
    System.arraycopy(head, from, grown, to, trees(head) * SPINE_ENTRY_BYTES);
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

  static void count(byte[] head, long count) {
    LONG.set(head, COUNT_AT, count);
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
