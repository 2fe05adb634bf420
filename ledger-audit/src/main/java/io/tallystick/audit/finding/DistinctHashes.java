package io.tallystick.audit.finding;

import io.tallystick.model.Digest;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;

/// The check that 32-byte values in one array are distinct, without an object for each: open
/// addressing over their positions. Not thread-safe.
public final class DistinctHashes {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /// An attacker may choose the values: it must not know which of them collide, and many collisions
  /// end the search.
  private static final long MIX = new SplittableRandom().nextLong() | 1;

  private static final int PROBES_MAX = 64;
  private static final int SLOTS_MIN = 16;

  // A position plus one; 0 is free.
  private int[] slots = new int[SLOTS_MIN];

  /// Forgets all values and makes room for `count`.
  public void reset(int count) {
    int capacity = Integer.highestOneBit(Math.max(SLOTS_MIN, 2 * count) - 1) << 1;
    if (slots.length < capacity) {
      slots = new int[capacity];
    } else {
      Arrays.fill(slots, 0);
    }
  }

  /// @return false if the value at `position` is there already, or perhaps: too many others stand
  ///   in its place
  public boolean add(byte[] array, int position) {
    int mask = slots.length - 1;
    long word = (long) LONG.get(array, position);
    int slot = (int) ((word * MIX) >>> 32) & mask;
    for (int probe = 0; probe < PROBES_MAX; probe++) {
      int taken = slots[slot];
      if (taken == 0) {
        slots[slot] = position + 1;
        return true;
      }
      if (Arrays.equals(
          array, taken - 1, taken - 1 + Digest.BYTES, array, position, position + Digest.BYTES)) {
        return false;
      }
      slot = (slot + 1) & mask;
    }
    return false;
  }
}
