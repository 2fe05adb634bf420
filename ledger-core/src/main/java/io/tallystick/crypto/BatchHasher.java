package io.tallystick.crypto;

/// SHA-256 of many messages at once. The CPU implementation is the default and the oracle of any
/// other. Implementations are thread-safe.
public interface BatchHasher {
  /// Hashes `count` messages of equal length.
  ///
  /// @param messages message `i` at `offset + i * stride`, `stride` bytes each; not modified
  /// @param digests digest `i` at `digestOffset + i * 32`; may not overlap `messages`
  void sha256(byte[] messages, int offset, int stride, int count, byte[] digests, int digestOffset);

  /// Hashes `count` messages of any length.
  ///
  /// @param offsets `count + 1` ascending positions; message `i` is `[offsets[i], offsets[i + 1])`
  void sha256(byte[] messages, int[] offsets, int count, byte[] digests, int digestOffset);

  /// RFC 9162 leaf hashes: SHA-256(0x00 ‖ message `i`), messages laid out by `offsets` as above.
  void leaves(byte[] messages, int[] offsets, int count, byte[] digests, int digestOffset);

  /// RFC 9162 node hashes: parent `i` = SHA-256(0x01 ‖ child `2i` ‖ child `2i + 1`).
  ///
  /// @param children `2 * count` digests at `childOffset`
  /// @param parents `count` digests at `parentOffset`; may be the same array when `parentOffset ==
  ///   childOffset` (parents then overwrite the first half of the children)
  void parents(byte[] children, int childOffset, int count, byte[] parents, int parentOffset);
}
