package io.tallystick.storage.forest;

import io.tallystick.cbor.CborWriter;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.storage.stream.Location;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;

/// How an entry lies in a leaf: found, compared and copied without an object for it. A number is in
/// groups of 7 bits, the lowest first, the high bit set on all but the last.
///
/// ```
///  0                1       2
///  +----------------+-------+-----+-------------------------------+-----+---------------+
///  | key length − 1 | flags | key | commit (32), size, if present | jsn | frame, offset |
///  +----------------+-------+-----+-------------------------------+-----+---------------+
///  flags: 1 present, 2 with the place of its value
/// ```
final class EntryBytes {
  /// The most bytes that an entry takes.
  static final int BYTES_MAX = 2 + StateEntry.KEY_BYTES_MAX + Digest.BYTES + 4 * 10;

  private static final VarHandle U64 =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private static final int PRESENT = 1;
  private static final int LOCATED = 2;
  private static final int KEY = 2;
  private static final int GROUP_BITS = 7;
  private static final int MORE = 0x80;
  private static final int RECORD_ITEMS = 6;
  private static final int RECORD_TYPE = 4;

  private EntryBytes() {}

  /// Writes an entry at `at`, where there is room for {@link #BYTES_MAX}.
  ///
  /// @return behind it
  static int put(HeldEntry held, byte[] into, int at) {
    StateEntry entry = held.entry();
    Location value = held.value();
    Bytes key = entry.key();
    into[at] = (byte) (key.size() - 1);
    into[at + 1] = (byte) ((entry.isPresent() ? PRESENT : 0) | (value == null ? 0 : LOCATED));
    key.copyInto(into, at + KEY);
    int end = at + KEY + key.size();
    if (entry.isPresent()) {
      entry.valueCommit().orElseThrow().copyInto(into, end);
      end = putNumber(entry.valueSizeBytes(), into, end + Digest.BYTES);
    }
    end = putNumber(entry.jsn().value(), into, end);
    if (value != null) {
      end = putNumber(value.frame(), into, end);
      end = putNumber(value.offset(), into, end);
    }
    return end;
  }

  /// Writes a number, taken as unsigned.
  static int putNumber(long number, byte[] into, int at) {
    int end = at;
    long rest = number;
    while ((rest & -MORE) != 0) {
      into[end++] = (byte) ((rest & (MORE - 1)) | MORE);
      rest >>>= GROUP_BITS;
    }
    into[end++] = (byte) rest;
    return end;
  }

  static int keyBytes(byte[] from, int at) {
    return (from[at] & 0xff) + 1;
  }

  static int keyStart(int at) {
    return at + KEY;
  }

  static int keyEnd(byte[] from, int at) {
    return at + KEY + keyBytes(from, at);
  }

  static Bytes key(byte[] from, int at) {
    return Bytes.copyOf(from, at + KEY, keyBytes(from, at));
  }

  static boolean isPresent(byte[] from, int at) {
    return (from[at + 1] & PRESENT) != 0;
  }

  /// The order of an entry's key and another's.
  static int compareKeys(byte[] from, int at, byte[] other, int otherAt) {
    return Arrays.compareUnsigned(
        from, at + KEY, keyEnd(from, at), other, otherAt + KEY, keyEnd(other, otherAt));
  }

  static int compareKey(byte[] from, int at, byte[] key) {
    return Arrays.compareUnsigned(from, at + KEY, keyEnd(from, at), key, 0, key.length);
  }

  /// Bytes that the keys of two entries begin with.
  static int sharedPrefix(byte[] from, int at, byte[] other, int otherAt) {
    if (keyBytes(from, at) >= Long.BYTES && keyBytes(other, otherAt) >= Long.BYTES) {
      long difference = (long) U64.get(from, at + KEY) ^ (long) U64.get(other, otherAt + KEY);
      if (difference != 0) {
        return Long.numberOfLeadingZeros(difference) / Byte.SIZE;
      }
    }
    int shared =
        Arrays.mismatch(
            from, at + KEY, keyEnd(from, at), other, otherAt + KEY, keyEnd(other, otherAt));
    return shared < 0 ? keyBytes(from, at) : shared;
  }

  /// Writes the entry as it is hashed.
  static void encodeRecord(byte[] from, int at, CborWriter out) {
    boolean present = isPresent(from, at);
    out.array(RECORD_ITEMS).uint(RECORD_TYPE);
    out.bytes(from, at + KEY, keyBytes(from, at)).bool(present);
    int end = keyEnd(from, at);
    if (present) {
      out.bytes(from, end, Digest.BYTES);
      end += Digest.BYTES;
      out.uint(number(from, end));
      end = behindNumber(from, end);
    } else {
      out.nil().uint(0);
    }
    out.uint(number(from, end));
  }

  static HeldEntry held(byte[] from, int at) {
    boolean present = isPresent(from, at);
    int end = keyEnd(from, at);
    Optional<Digest> commit = Optional.empty();
    long size = 0;
    if (present) {
      commit = Optional.of(Digest.of(from, end));
      end += Digest.BYTES;
      size = number(from, end);
      end = behindNumber(from, end);
    }
    StateEntry entry = new StateEntry(key(from, at), commit, size, new Jsn(number(from, end)));
    if ((from[at + 1] & LOCATED) == 0) {
      return new HeldEntry(entry, null);
    }
    end = behindNumber(from, end);
    long frame = number(from, end);
    int offset = Math.toIntExact(number(from, behindNumber(from, end)));
    return new HeldEntry(entry, new Location(frame, offset));
  }

  /// Where the entry that begins at `at` ends, by what it says of itself.
  ///
  /// @throws IndexOutOfBoundsException if it says that it goes on behind the end of `from`
  static int end(byte[] from, int at) {
    int end = keyEnd(from, at);
    if (isPresent(from, at)) {
      end = behindNumber(from, end + Digest.BYTES);
    }
    end = behindNumber(from, end);
    if ((from[at + 1] & LOCATED) != 0) {
      end = behindNumber(from, behindNumber(from, end));
    }
    return end;
  }

  static long number(byte[] from, int at) {
    long number = 0;
    int shift = 0;
    int i = at;
    int group;
    do {
      group = from[i++];
      number |= (long) (group & (MORE - 1)) << shift;
      shift += GROUP_BITS;
    } while ((group & MORE) != 0 && shift < Long.SIZE);
    return number;
  }

  static int behindNumber(byte[] from, int at) {
    int end = at;
    while ((from[end] & MORE) != 0) {
      end++;
    }
    return end + 1;
  }
}
