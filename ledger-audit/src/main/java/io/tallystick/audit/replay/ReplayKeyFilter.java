package io.tallystick.audit.replay;

import java.util.zip.CRC32C;

/// A Bloom filter over the keys of a closed partition: what it does not know is not there. Eight
/// bits and four probes a key let two in a hundred others through. Not thread-safe.
final class ReplayKeyFilter {
  private static final int BITS_PER_KEY = 8;
  private static final int PROBES = 4;
  private static final long GOLDEN = 0x9e3779b97f4a7c15L;
  private static final long MIX = 0xbf58476d1ce4e5b9L;

  private final long[] bits;
  private final CRC32C crc = new CRC32C();

  /// @param keys how many will be added
  ReplayKeyFilter(long keys) {
    bits =
        new long[Math.toIntExact(Math.max(1, (keys * BITS_PER_KEY + Long.SIZE - 1) / Long.SIZE))];
  }

  void add(byte[] array, int at, int length) {
    long hash = hash(array, at, length);
    for (int i = 0; i < PROBES; i++) {
      long bit = bit(hash, i);
      bits[(int) (bit / Long.SIZE)] |= 1L << bit;
    }
  }

  boolean mayHave(byte[] key) {
    long hash = hash(key, 0, key.length);
    for (int i = 0; i < PROBES; i++) {
      long bit = bit(hash, i);
      if ((bits[(int) (bit / Long.SIZE)] & 1L << bit) == 0) {
        return false;
      }
    }
    return true;
  }

  private long bit(long hash, int probe) {
    long mixed = (hash + probe * GOLDEN) * MIX;
    return Long.remainderUnsigned(mixed ^ mixed >>> 29, (long) bits.length * Long.SIZE);
  }

  private long hash(byte[] array, int at, int length) {
    crc.reset();
    crc.update(array, at, length);
    long low = crc.getValue();
    crc.update(length);
    return (crc.getValue() << Integer.SIZE ^ low) * GOLDEN;
  }

  long bytes() {
    return (long) bits.length * Long.BYTES;
  }
}
