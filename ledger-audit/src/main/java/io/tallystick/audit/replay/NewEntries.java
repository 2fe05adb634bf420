package io.tallystick.audit.replay;

/// The entries that a block puts into the open partition, in ascending order of their keys; at
/// least one.
final class NewEntries {
  final byte[][] keys;
  final byte[][] encoded;

  /// 32 bytes of each, one behind the other.
  final byte[] recordHashes;

  NewEntries(byte[][] keys, byte[][] encoded, byte[] recordHashes) {
    this.keys = keys;
    this.encoded = encoded;
    this.recordHashes = recordHashes;
  }

  int count() {
    return keys.length;
  }
}
