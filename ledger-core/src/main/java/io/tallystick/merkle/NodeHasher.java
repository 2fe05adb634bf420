package io.tallystick.merkle;

/// The node hashes of RFC 9162, many at once: {@link TreeHasher#parents} on the calling thread, or
/// whatever is given to those that build trees.
@FunctionalInterface
public interface NodeHasher {
  /// Parent `i` = SHA-256(0x01 ‖ child `2i` ‖ child `2i + 1`).
  ///
  /// @param children `2 * count` digests at `childOffset`
  /// @param count from 1
  /// @param parents `count` digests at `parentOffset`; may be the same array when `parentOffset ==
  ///   childOffset` (parents then overwrite the first half of the children)
  void parents(byte[] children, int childOffset, int count, byte[] parents, int parentOffset);
}
