package io.tallystick.storage.patricia;

import io.tallystick.model.Digest;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// A node of the trie in memory. Made by one edit, which may change it until it is published; never
/// changed afterwards, except that a child and its place on disk stand for each other.
abstract sealed class Node permits LeafNode, Inner, StoredNode {
  /// In place of a slot's address while the node is in none.
  static final long UNSAVED = -1;

  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /// Number of the edit that made it, in the order of edits of one store.
  final long epoch;

  /// Address of the slot that holds it, or {@link #UNSAVED}. The owner's.
  long address = UNSAVED;

  /// Whether the edit that made it took it out of the trie again, so that it is not hashed.
  boolean dropped;

  // Keccak-256 of its RLP.
  private long a;
  private long b;
  private long c;
  private long d;

  Node(long epoch) {
    this.epoch = epoch;
  }

  final void hash(byte[] bytes, int offset) {
    a = (long) WORD.get(bytes, offset);
    b = (long) WORD.get(bytes, offset + 8);
    c = (long) WORD.get(bytes, offset + 16);
    d = (long) WORD.get(bytes, offset + 24);
  }

  final void sameHash(Node other) {
    a = other.a;
    b = other.b;
    c = other.c;
    d = other.d;
  }

  final void copyHash(byte[] target, int offset) {
    WORD.set(target, offset, a);
    WORD.set(target, offset + 8, b);
    WORD.set(target, offset + 16, c);
    WORD.set(target, offset + 24, d);
  }

  final boolean hasHash(byte[] bytes, int offset) {
    return a == (long) WORD.get(bytes, offset)
        && b == (long) WORD.get(bytes, offset + 8)
        && c == (long) WORD.get(bytes, offset + 16)
        && d == (long) WORD.get(bytes, offset + 24);
  }

  final Digest digest() {
    byte[] bytes = new byte[Digest.BYTES];
    copyHash(bytes, 0);
    return Digest.of(bytes);
  }
}
