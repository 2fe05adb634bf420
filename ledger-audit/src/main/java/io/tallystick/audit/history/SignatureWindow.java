package io.tallystick.audit.history;

import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.statement.AuditStatement;
import io.tallystick.journal.Limits;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.nio.ByteBuffer;
import java.util.OptionalLong;

/// Which signatures were used, each for as long as it could be used again: open addressing over the
/// first 16 bytes of the signature id. Memory is bounded by the number of ids that are open at one
/// time; those that have expired make room. Not thread-safe.
public final class SignatureWindow {
  /// They take 256 MiB at most.
  public static final int OPEN_MAX = Limits.OPEN_SIGNATURES_MAX;

  private static final int SLOT_LONGS = 4;
  private static final int CAPACITY_MIN = 1 << 10;
  private static final int JSN = 2;
  private static final int EXPIRES = 3;
  private static final long FREE = 0;

  private final int openMax;
  private long[] slots = new long[CAPACITY_MIN * SLOT_LONGS];
  private int used;

  public SignatureWindow(int openMax) {
    this.openMax = openMax;
  }

  /// The journal that used this signature first, if it did within its window.
  OptionalLong find(Digest id, long nowMs) {
    ByteBuffer bytes = ByteBuffer.wrap(id.toArray());
    int slot = slot(slots, bytes.getLong(), bytes.getLong());
    // Expiry is kept plus one, so that 0 is a free slot.
    return slots[slot + EXPIRES] > nowMs
        ? OptionalLong.of(slots[slot + JSN])
        : OptionalLong.empty();
  }

  /// @param expiresMs the last time at which it could be used
  /// @throws AuditLimitException if more than the bound are open at `nowMs`
  void add(Digest id, long jsn, long expiresMs, long nowMs) throws AuditLimitException {
    if (2 * (used + 1) > slots.length / SLOT_LONGS) {
      makeRoom(nowMs);
    }
    ByteBuffer bytes = ByteBuffer.wrap(id.toArray());
    put(slots, bytes.getLong(), bytes.getLong(), jsn, expiresMs + 1);
  }

  /// The ids that are open at `nowMs`, in no order: for each the 16 bytes, its first jsn and its
  /// last time, 8 bytes each.
  Bytes open(long nowMs) {
    int open = count(nowMs);
    ByteBuffer out = ByteBuffer.allocate(open * AuditStatement.WINDOW_ENTRY_BYTES);
    for (int slot = 0; slot < slots.length; slot += SLOT_LONGS) {
      if (slots[slot + EXPIRES] > nowMs) {
        out.putLong(slots[slot]).putLong(slots[slot + 1]);
        out.putLong(slots[slot + JSN]).putLong(slots[slot + EXPIRES] - 1);
      }
    }
    return Bytes.wrap(out.array());
  }

  /// Adds ids as {@link #open} told them.
  void restore(Bytes open, long nowMs) throws AuditLimitException {
    ByteBuffer in = ByteBuffer.wrap(open.unsafeArray());
    while (in.hasRemaining()) {
      if (2 * (used + 1) > slots.length / SLOT_LONGS) {
        makeRoom(nowMs);
      }
      put(slots, in.getLong(), in.getLong(), in.getLong(), in.getLong() + 1);
    }
  }

  private int count(long nowMs) {
    int open = 0;
    for (int slot = 0; slot < slots.length; slot += SLOT_LONGS) {
      open += slots[slot + EXPIRES] > nowMs ? 1 : 0;
    }
    return open;
  }

  private void put(long[] table, long high, long low, long jsn, long expires) {
    int slot = slot(table, high, low);
    if (table[slot + EXPIRES] == FREE) {
      used++;
    }
    table[slot] = high;
    table[slot + 1] = low;
    table[slot + JSN] = jsn;
    table[slot + EXPIRES] = expires;
  }

  /// The slot that holds the id, or the free one where it belongs.
  private static int slot(long[] table, long high, long low) {
    int mask = table.length / SLOT_LONGS - 1;
    int index = (int) high & mask;
    while (true) {
      int slot = index * SLOT_LONGS;
      if (table[slot + EXPIRES] == FREE || (table[slot] == high && table[slot + 1] == low)) {
        return slot;
      }
      index = (index + 1) & mask;
    }
  }

  private void makeRoom(long nowMs) throws AuditLimitException {
    int open = count(nowMs);
    if (open >= openMax) {
      throw new AuditLimitException(
          open + " signatures are within their window at once, this auditor keeps " + openMax);
    }
    int capacity = CAPACITY_MIN;
    while (capacity < 4L * (open + 1)) {
      capacity *= 2;
    }
    long[] old = slots;
    slots = new long[capacity * SLOT_LONGS];
    used = 0;
    for (int slot = 0; slot < old.length; slot += SLOT_LONGS) {
      if (old[slot + EXPIRES] > nowMs) {
        put(slots, old[slot], old[slot + 1], old[slot + JSN], old[slot + EXPIRES]);
      }
    }
  }
}
