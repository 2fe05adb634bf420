package io.tallystick.storage.forest;

import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.nio.ByteBuffer;

/// A Bloom filter over the keys of a partition: 10 bits and 7 places a key, so that 1 % of the keys
/// that are not there seem to be. A place is (a + i · b) mod bits, a and b being the first two
/// words of the key's SHA-256, taken without their highest bits. Thread-safe once it is filled.
final class KeyFilter {
  private static final int BITS_PER_KEY = 10;
  private static final int PLACES = 7;

  private final long[] words;
  private final long bits;

  private KeyFilter(long[] words) {
    this.words = words;
    this.bits = (long) words.length * Long.SIZE;
  }

  /// An empty filter.
  static KeyFilter forKeys(long count) {
    return new KeyFilter(new long[Math.toIntExact(words(count))]);
  }

  /// The length of a filter.
  static long words(long keys) {
    return Math.max(1, Math.ceilDiv(keys * BITS_PER_KEY, (long) Long.SIZE));
  }

  void add(Digest keyHash) {
    long a = keyHash.firstWord() & Long.MAX_VALUE;
    long b = keyHash.secondWord() & Long.MAX_VALUE;
    for (int i = 0; i < PLACES; i++) {
      long place = place(a, b, i);
      words[(int) (place / Long.SIZE)] |= 1L << place;
    }
  }

  /// False only for a key that was not added.
  boolean mayHold(Digest keyHash) {
    long a = keyHash.firstWord() & Long.MAX_VALUE;
    long b = keyHash.secondWord() & Long.MAX_VALUE;
    for (int i = 0; i < PLACES; i++) {
      long place = place(a, b, i);
      if ((words[(int) (place / Long.SIZE)] & (1L << place)) == 0) {
        return false;
      }
    }
    return true;
  }

  private long place(long a, long b, int i) {
    return (a % bits + i * (b % bits)) % bits;
  }

  byte[] encode() {
    ByteBuffer out = ByteBuffer.allocate(words.length * Long.BYTES);
    out.asLongBuffer().put(words);
    return out.array();
  }

  static KeyFilter decode(byte[] bytes) throws MalformedException {
    if (bytes.length == 0 || bytes.length % Long.BYTES != 0) {
      throw new MalformedException("filter of " + bytes.length + " bytes");
    }
    long[] words = new long[bytes.length / Long.BYTES];
    ByteBuffer.wrap(bytes).asLongBuffer().get(words);
    return new KeyFilter(words);
  }
}
