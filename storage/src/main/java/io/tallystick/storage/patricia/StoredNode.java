package io.tallystick.storage.patricia;

/// A node that is on disk and not in memory: its hash and where it lies.
final class StoredNode extends Node {
  StoredNode(long address, byte[] hash, int offset) {
    super(0);
    this.address = address;
    hash(hash, offset);
  }

  /// Replaces a node in memory that is dropped.
  StoredNode(Node saved) {
    super(0);
    this.address = saved.address;
    sameHash(saved);
  }
}
