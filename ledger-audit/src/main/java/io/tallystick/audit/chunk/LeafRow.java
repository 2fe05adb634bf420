package io.tallystick.audit.chunk;

import io.tallystick.audit.finding.CompleteSubtrees;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Digest;
import org.jspecify.annotations.Nullable;

/// Hash, time and kind of consecutive leaves, without an object for each. Filled by one thread,
/// then read by another.
public final class LeafRow {
  private final long firstJsn;
  private final byte[] hashes;
  private final long[] timesMs;
  private final byte[] kinds;
  private final boolean[] erased;
  private int count;
  private @Nullable CompleteSubtrees subtrees;

  LeafRow(long firstJsn, int capacity) {
    this.firstJsn = firstJsn;
    this.hashes = new byte[capacity * Digest.BYTES];
    this.timesMs = new long[capacity];
    this.kinds = new byte[capacity];
    this.erased = new boolean[capacity];
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

  /// Says of the leaf added last that it is a journal.
  ///
  /// @param kind of its request
  /// @param bodyErased whether its body should be there and is erased
  void journal(int kind, boolean bodyErased) {
    kinds[count - 1] = (byte) kind;
    erased[count - 1] = bodyErased;
  }

  /// Hashes the complete subtrees over the leaves. No leaf is added afterwards.
  void complete(BatchHasher hasher) {
    subtrees = new CompleteSubtrees(firstJsn, hashes, count, hasher);
  }

  public CompleteSubtrees subtrees() {
    CompleteSubtrees made = subtrees;
    if (made == null) {
      throw new AssertionError("leaves whose subtrees were not hashed");
    }
    return made;
  }

  public long firstJsn() {
    return firstJsn;
  }

  public int count() {
    return count;
  }

  public long timeMs(int index) {
    return timesMs[index];
  }

  /// The kind of the journal's request; 0 for genesis and seals.
  public int kind(int index) {
    return kinds[index];
  }

  public boolean erased(int index) {
    return erased[index];
  }

  /// Hash `i` at `32 * i`; not to be written to.
  public byte[] hashes() {
    return hashes;
  }

  public Digest hash(int index) {
    return Digest.of(hashes, index * Digest.BYTES);
  }
}
