package io.tallystick.hashing;

import io.tallystick.crypto.Keccak256;
import io.tallystick.merkle.NodeHasher;
import java.lang.foreign.MemorySegment;

/// SHA-256 and Keccak-256 of many messages at once. The CPU implementation is the default and the
/// oracle of any other. Implementations are thread-safe. No method fails for the sake of a device:
/// an implementation that uses one computes on the CPU what the device could not ({@link
/// DeviceBatchHasher}).
///
/// A call is refused before it has hashed anything, with an {@link IllegalArgumentException} if a
/// count, stride or width is not as said below or if what is read and what is written overlap, with
/// an {@link IndexOutOfBoundsException} if an array is too short. Counts are from 1.
///
/// Callers that hash a few dozen messages per call (proofs, verification) take {@link #cpu()};
/// callers that hash whole blocks or levels of a tree take the hasher they are given.
public interface BatchHasher extends NodeHasher {
  /// The CPU's, shared by all that hash too little at a time for any device.
  static BatchHasher cpu() {
    return CpuBatchHasher.SHARED;
  }

  /// Hashes `count` messages of equal length.
  ///
  /// @param messages message `i` at `offset + i * stride`; not modified
  /// @param stride bytes of each, from 1
  /// @param digests digest `i` at `digestOffset + i * 32`; may not overlap `messages`
  void sha256(byte[] messages, int offset, int stride, int count, byte[] digests, int digestOffset);

  /// Hashes `count` messages of any length, which may be 0.
  ///
  /// @param offsets `count + 1` ascending positions; message `i` is `[offsets[i], offsets[i + 1])`
  void sha256(byte[] messages, int[] offsets, int count, byte[] digests, int digestOffset);

  /// RFC 9162 leaf hashes: SHA-256(0x00 ‖ message `i`), messages laid out by `offsets` as above.
  void leaves(byte[] messages, int[] offsets, int count, byte[] digests, int digestOffset);

  /// RFC 9162 node hashes of `count` complete subtrees that lie one behind the other, all levels of
  /// each in one call.
  ///
  /// @param leaves `count * width` digests at `leafOffset`; not modified
  /// @param width leaves of each subtree, a power of two from 2
  /// @param nodes `count * (width - 1)` digests at `nodeOffset`, level by level: the `count * width
  ///   / 2` joins of leaves, then theirs, and the `count` roots last
  void subtrees(byte[] leaves, int leafOffset, int width, int count, byte[] nodes, int nodeOffset);

  /// Keccak-256 (see {@link Keccak256}) of `count` messages, laid out by `offsets` as above.
  void keccak256(byte[] messages, int[] offsets, int count, byte[] digests, int digestOffset);

  /// As {@link #leaves(byte[], int[], int, byte[], int)}, over native or heap memory.
  ///
  /// @param digests digest `i` at `i * 32`; may not overlap `messages`
  default void leaves(MemorySegment messages, int[] offsets, int count, MemorySegment digests) {
    Segments.hash(messages, offsets, count, digests, this::leaves);
  }

  /// As {@link #keccak256(byte[], int[], int, byte[], int)}, over native or heap memory.
  ///
  /// @param digests digest `i` at `i * 32`; may not overlap `messages`
  default void keccak256(MemorySegment messages, int[] offsets, int count, MemorySegment digests) {
    Segments.hash(messages, offsets, count, digests, this::keccak256);
  }

  /// As {@link #parents(byte[], int, int, byte[], int)}, over native or heap memory.
  ///
  /// @param children `2 * count` digests at 0
  /// @param parents parent `i` at `i * 32`; may be `children` itself
  default void parents(MemorySegment children, int count, MemorySegment parents) {
    Segments.parents(children, count, parents, this);
  }

  /// As {@link #subtrees(byte[], int, int, int, byte[], int)}, over native or heap memory.
  ///
  /// @param leaves `count * width` digests at 0
  /// @param nodes may not overlap `leaves`
  default void subtrees(MemorySegment leaves, int width, int count, MemorySegment nodes) {
    Segments.subtrees(leaves, width, count, nodes, this);
  }

  /// Lends a buffer for messages, in the memory that this hasher reads fastest. To be closed.
  ///
  /// @param bytes that it has room for before it grows
  default HashBuffer buffer(int bytes) {
    return new HashBuffer(HashMemory.HEAP, bytes);
  }

  /// SHA-256(0x00 ‖ message) of all messages of a buffer, which has one or more.
  default void leaves(HashBuffer buffer) {
    buffer.hash(this::leaves, this::leaves);
  }

  /// Keccak-256 of all messages of a buffer, which has one or more.
  default void keccak256(HashBuffer buffer) {
    buffer.hash(this::keccak256, this::keccak256);
  }

  /// How many messages one call should have where the caller may choose, from 1: as many as a
  /// device needs to be busy, as few as the CPU's cache holds.
  int callMessages();

  /// The device or CPU that computes, and why no device does if none does.
  Support support();
}
