package io.tallystick.storage.page;

import io.tallystick.model.MalformedException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Which slots of one class are in use: a bit each, kept in rows of 4,096 bytes. Slots are handed
/// out in ascending order, the lowest free one first. The owner's alone.
final class FreeMap {
  static final int ROW_BYTES = 4096;
  private static final int ROW_WORDS = ROW_BYTES / Long.BYTES;
  private static final int WORD_BITS = Long.SIZE;

  private long[] words = new long[ROW_WORDS];
  private final BitSet freedLater = new BitSet(); // in use here, and free in the rows
  private final BitSet cleared = new BitSet(); // free, and zeros in the file
  private final BitSet changedRows = new BitSet();
  private long slots; // that the file has
  private long used;
  private int cursor; // no word below it has a free slot
  private long unclearedFrom; // no slot below it is free and not cleared

  /// Slots that the file holds, in use or not.
  long slots() {
    return slots;
  }

  long used() {
    return used;
  }

  /// The lowest free slot, in use from now on.
  long take() {
    while (cursor < words.length && words[cursor] == -1) {
      cursor++;
    }
    if (cursor == words.length) {
      words = Arrays.copyOf(words, Math.max(2 * words.length, ROW_WORDS));
    }
    int bit = Long.numberOfTrailingZeros(~words[cursor]);
    words[cursor] |= 1L << bit;
    changedRows.set(cursor / ROW_WORDS);
    long number = (long) cursor * WORD_BITS + bit;
    slots = Math.max(slots, number + 1);
    used++;
    if (!cleared.isEmpty()) {
      cleared.clear(Math.toIntExact(number));
    }
    return number;
  }

  /// Makes a slot free.
  ///
  /// @return whether it was in use
  boolean release(long number) {
    if (number < 0 || number >= slots) {
      return false;
    }
    int word = (int) (number / WORD_BITS);
    long bit = 1L << (number % WORD_BITS);
    if ((words[word] & bit) == 0) {
      return false;
    }
    words[word] &= ~bit;
    if (!freedLater.isEmpty() && freedLater.get(Math.toIntExact(number))) {
      freedLater.clear((int) number); // the row says so already
    } else {
      changedRows.set(word / ROW_WORDS);
    }
    cursor = Math.min(cursor, word);
    unclearedFrom = Math.min(unclearedFrom, number);
    used--;
    return true;
  }

  /// Makes a slot free in the rows; it is not taken before it is {@link #release released}.
  ///
  /// @return whether it was in use
  boolean freeLater(long number) {
    int bit = Math.toIntExact(number);
    if (number < 0 || number >= slots || freedLater.get(bit)) {
      return false;
    }
    int word = bit / WORD_BITS;
    if ((words[word] & 1L << (bit % WORD_BITS)) == 0) {
      return false;
    }
    freedLater.set(bit);
    changedRows.set(word / ROW_WORDS);
    return true;
  }

  /// Free slots side by side.
  record Run(long first, long count) {}

  /// The next free slots that are not {@link #clear cleared}.
  ///
  /// @param from the lowest slot looked at
  /// @param most slots of the run
  /// @return null if there are none
  @Nullable Run uncleared(long from, long most) {
    boolean fromTheFirst = from <= unclearedFrom;
    long first = Math.max(from, unclearedFrom);
    while (first < slots && !isUncleared(first)) {
      boolean wordIsTaken = words[(int) (first / WORD_BITS)] == -1;
      first += wordIsTaken ? WORD_BITS - first % WORD_BITS : 1;
    }
    if (fromTheFirst) {
      unclearedFrom = Math.min(first, slots);
    }
    long end = first;
    while (end < slots && end - first < most && isUncleared(end)) {
      end++;
    }
    return end <= first ? null : new Run(first, end - first);
  }

  private boolean isUncleared(long number) {
    int bit = Math.toIntExact(number);
    return (words[bit / WORD_BITS] & 1L << (bit % WORD_BITS)) == 0 && !cleared.get(bit);
  }

  /// The file has zeros there.
  void clear(Run run) {
    int first = Math.toIntExact(run.first);
    cleared.set(first, Math.toIntExact(first + run.count));
  }

  /// Rows that changed since they were last asked for.
  int[] takeChangedRows() {
    int[] rows = changedRows.stream().toArray();
    changedRows.clear();
    return rows;
  }

  byte[] row(int number) {
    ByteBuffer row = ByteBuffer.allocate(ROW_BYTES);
    row.asLongBuffer().put(words, number * ROW_WORDS, ROW_WORDS);
    int first = number * ROW_WORDS * WORD_BITS;
    int end = first + ROW_WORDS * WORD_BITS;
    for (int bit = freedLater.nextSetBit(first);
        bit >= 0 && bit < end;
        bit = freedLater.nextSetBit(bit + 1)) {
      int at = (bit - first) / WORD_BITS * Long.BYTES;
      row.putLong(at, row.getLong(at) & ~(1L << (bit % WORD_BITS)));
    }
    return row.array();
  }

  /// How many rows tell of so many slots.
  static long rows(long slots) {
    return Math.ceilDiv(slots, (long) ROW_BYTES * Byte.SIZE);
  }

  /// Takes over a row as it was saved.
  ///
  /// @param number below {@link #rows} of what there is
  void restore(int number, byte[] row) throws MalformedException {
    if (row.length != ROW_BYTES) {
      throw new MalformedException(
          String.format(Locale.ROOT, "row %d of %d bytes, want %d", number, row.length, ROW_BYTES));
    }
    int end = (number + 1) * ROW_WORDS;
    if (words.length < end) {
      words = Arrays.copyOf(words, end);
    }
    ByteBuffer.wrap(row).asLongBuffer().get(words, number * ROW_WORDS, ROW_WORDS);
  }

  /// Once all rows are restored.
  ///
  /// @return whether no slot beyond `savedSlots` is in use
  boolean restored(long savedSlots) {
    slots = savedSlots;
    used = 0;
    long last = -1;
    for (int i = 0; i < words.length; i++) {
      used += Long.bitCount(words[i]);
      if (words[i] != 0) {
        last = (long) i * WORD_BITS + WORD_BITS - 1 - Long.numberOfLeadingZeros(words[i]);
      }
    }
    return last < savedSlots;
  }
}
