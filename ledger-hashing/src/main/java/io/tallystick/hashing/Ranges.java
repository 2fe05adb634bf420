package io.tallystick.hashing;

import io.tallystick.model.Digest;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/// Checks of what a batch names. All of them come before the first hash, so that a refused batch
/// writes nothing. Each throws what {@link BatchHasher} says.
final class Ranges {
  private Ranges() {}

  static void checkStrided(
      byte[] messages, int offset, int stride, int count, byte[] digests, int digestOffset) {
    checkPositive("stride", stride);
    check(offset, stride, count, messages.length);
    check(digestOffset, Digest.BYTES, count, digests.length);
    checkApart(
        messages,
        offset,
        (long) stride * count,
        digests,
        digestOffset,
        (long) count * Digest.BYTES);
  }

  static void checkMessages(
      byte[] messages, int[] offsets, int count, byte[] digests, int digestOffset) {
    checkOffsets(messages.length, offsets, count);
    check(digestOffset, Digest.BYTES, count, digests.length);
    checkApart(
        messages,
        offsets[0],
        offsets[count] - offsets[0],
        digests,
        digestOffset,
        (long) count * Digest.BYTES);
  }

  static void checkMessages(
      MemorySegment messages, int[] offsets, int count, MemorySegment digests) {
    checkOffsets(messages.byteSize(), offsets, count);
    check(0, Digest.BYTES, count, digests.byteSize());
    checkApart(
        messages.asSlice(offsets[0], offsets[count] - offsets[0]),
        digests.asSlice(0, (long) count * Digest.BYTES));
  }

  /// Parents may take the place of their children, the first that of the first two.
  static void checkParents(
      byte[] children, int childOffset, int count, byte[] parents, int parentOffset) {
    check(childOffset, 2 * Digest.BYTES, count, children.length);
    check(parentOffset, Digest.BYTES, count, parents.length);
    if (!isSame(children, parents) || childOffset != parentOffset) {
      long bytes = (long) count * Digest.BYTES;
      checkApart(children, childOffset, 2 * bytes, parents, parentOffset, bytes);
    }
  }

  static void checkParents(MemorySegment children, int count, MemorySegment parents) {
    check(0, 2 * Digest.BYTES, count, children.byteSize());
    check(0, Digest.BYTES, count, parents.byteSize());
    if (!children.asSlice(0, 0).equals(parents.asSlice(0, 0))) {
      long bytes = (long) count * Digest.BYTES;
      checkApart(children.asSlice(0, 2 * bytes), parents.asSlice(0, bytes));
    }
  }

  static void checkSubtrees(
      byte[] leaves, int leafOffset, int width, int count, byte[] nodes, int nodeOffset) {
    long leafBytes = subtreeBytes(width, count, width);
    long nodeBytes = subtreeBytes(width, count, width - 1);
    Objects.checkFromIndexSize(leafOffset, leafBytes, (long) leaves.length);
    Objects.checkFromIndexSize(nodeOffset, nodeBytes, (long) nodes.length);
    checkApart(leaves, leafOffset, leafBytes, nodes, nodeOffset, nodeBytes);
  }

  static void checkSubtrees(MemorySegment leaves, int width, int count, MemorySegment nodes) {
    long leafBytes = subtreeBytes(width, count, width);
    long nodeBytes = subtreeBytes(width, count, width - 1);
    Objects.checkFromIndexSize(0, leafBytes, leaves.byteSize());
    Objects.checkFromIndexSize(0, nodeBytes, nodes.byteSize());
    checkApart(leaves.asSlice(0, leafBytes), nodes.asSlice(0, nodeBytes));
  }

  private static long subtreeBytes(int width, int count, int hashes) {
    if (width < 2 || Integer.bitCount(width) != 1) {
      throw new IllegalArgumentException("subtrees of " + width + " leaves");
    }
    checkPositive("count", count);
    return (long) count * hashes * Digest.BYTES;
  }

  private static void check(int offset, int stride, int count, long length) {
    checkPositive("count", count);
    Objects.checkFromIndexSize(offset, (long) stride * count, length);
  }

  private static void checkOffsets(long length, int[] offsets, int count) {
    checkPositive("count", count);
    Objects.checkIndex(count, offsets.length);
    Objects.checkFromToIndex(offsets[0], offsets[count], length);
    for (int i = 0; i < count; i++) {
      if (offsets[i] > offsets[i + 1]) {
        throw new IndexOutOfBoundsException(
            "message " + i + " ends at " + offsets[i + 1] + " before it begins at " + offsets[i]);
      }
    }
  }

  private static void checkPositive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " is " + value + ", want at least 1");
    }
  }

  @SuppressWarnings("ReferenceEquality") // whether they are one place in memory
  private static boolean isSame(byte[] a, byte[] b) {
    return a == b;
  }

  private static void checkApart(
      byte[] from, long fromOffset, long fromBytes, byte[] to, long toOffset, long toBytes) {
    if (isSame(from, to) && fromOffset < toOffset + toBytes && toOffset < fromOffset + fromBytes) {
      throw overlapping();
    }
  }

  private static void checkApart(MemorySegment from, MemorySegment to) {
    if (from.asOverlappingSlice(to).isPresent()) {
      throw overlapping();
    }
  }

  private static IllegalArgumentException overlapping() {
    return new IllegalArgumentException("digests would be written over what they are of");
  }
}
