package io.tallystick.storage.clue;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Heads in the order they came. Not thread-safe.
final class HeadList {
  private static final int KEPT_MAX = 1 << 16;
  private static final int HEADS_MIN = 8;
  private static final byte[] @Nullable [] NONE = {};

  private byte[] @Nullable [] heads = NONE;
  private int count;

  void add(byte[] head) {
    if (count == heads.length) {
      heads = Arrays.copyOf(heads, Math.max(HEADS_MIN, Math.multiplyExact(count, 2)));
    }
    heads[count++] = head;
  }

  int count() {
    return count;
  }

  byte[] at(int place) {
    byte[] head = heads[place];
    if (head == null) {
      throw new AssertionError("no head in place " + place);
    }
    return head;
  }

  /// Forgets the entries, and gives the memory of a long list back: there is one for each strand in
  /// use.
  void clear() {
    if (heads.length > KEPT_MAX) {
      heads = NONE;
    } else {
      Arrays.fill(heads, 0, count, null);
    }
    count = 0;
  }
}
