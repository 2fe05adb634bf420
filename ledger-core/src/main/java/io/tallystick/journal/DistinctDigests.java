package io.tallystick.journal;

import io.tallystick.model.Digest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;

/// The hashes or salts of one batch, to find one that comes twice. Open addressing; two arrays in
/// all and no object per entry. Strangers choose the values, so places depend on secrets of this
/// process. Not thread-safe.
final class DistinctDigests {
  private static final long FIRST_KEY;
  private static final long SECOND_KEY;

  static {
    SecureRandom random = new SecureRandom();
    FIRST_KEY = random.nextLong() | 1;
    SECOND_KEY = random.nextLong() | 1;
  }

  private final Digest[] entries;
  private final int[] slots;
  private int count;

  /// @param capacity how many will be added at most
  DistinctDigests(int capacity) {
    entries = new Digest[capacity];
    slots = new int[Integer.highestOneBit(Math.max(capacity, 1)) * 4];
    Arrays.fill(slots, -1);
  }

  static boolean areDistinct(List<Digest> digests) {
    DistinctDigests seen = new DistinctDigests(digests.size());
    for (int i = 0; i < digests.size(); i++) {
      if (!seen.add(digests.get(i))) {
        return false;
      }
    }
    return true;
  }

  /// @return whether it was not there yet
  boolean add(Digest digest) {
    int mask = slots.length - 1;
    int slot = place(digest) & mask;
    for (; slots[slot] >= 0; slot = (slot + 1) & mask) {
      if (entries[slots[slot]].equals(digest)) {
        return false;
      }
    }
    entries[count] = digest;
    slots[slot] = count++;
    return true;
  }

  // Every word counts: salts may agree in all but one.
  private static int place(Digest digest) {
    long mixed = digest.mixed(FIRST_KEY, SECOND_KEY);
    return (int) (mixed ^ mixed >>> 32);
  }
}
