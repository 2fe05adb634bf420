package io.tallystick.audit;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Digest;
import java.security.MessageDigest;

/// Hash and time of consecutive leaves, without an object for each. Filled by one thread, then read
/// by another.
final class LeafRow {
  private final long firstJsn;
  private final byte[] hashes;
  private final long[] timesMs;
  private int count;

  LeafRow(long firstJsn, int capacity) {
    this.firstJsn = firstJsn;
    this.hashes = new byte[capacity * Digest.BYTES];
    this.timesMs = new long[capacity];
  }

  void add(Digest hash, long timeMs) {
    hash.copyInto(hashes, count * Digest.BYTES);
    timesMs[count] = timeMs;
    count++;
  }

  /// Adds the hash at a place of an array.
  void add(byte[] from, int at, long timeMs) {
    System.arraycopy(from, at, hashes, count * Digest.BYTES, Digest.BYTES);
    timesMs[count] = timeMs;
    count++;
  }

  /// Adds what `hasher` has been fed with.
  void add(MessageDigest hasher, long timeMs) {
    Sha256.finish(hasher, hashes, count * Digest.BYTES);
    timesMs[count] = timeMs;
    count++;
  }

  long firstJsn() {
    return firstJsn;
  }

  int count() {
    return count;
  }

  long timeMs(int index) {
    return timesMs[index];
  }

  /// Hash `i` at `32 * i`; not to be written to.
  byte[] hashes() {
    return hashes;
  }

  Digest hash(int index) {
    return Digest.of(hashes, index * Digest.BYTES);
  }
}
