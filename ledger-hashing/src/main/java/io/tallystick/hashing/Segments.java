package io.tallystick.hashing;

import io.tallystick.model.Digest;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// Hashing over memory segments by methods over arrays: copies in, computes, copies out.
final class Segments {
  private Segments() {}

  @FunctionalInterface
  interface OverArrays {
    void hash(byte[] messages, int[] offsets, int count, byte[] digests, int digestOffset);
  }

  static void hash(
      MemorySegment messages, int[] offsets, int count, MemorySegment digests, OverArrays hasher) {
    Ranges.checkMessages(messages, offsets, count, digests);
    int from = offsets[0];
    byte[] copy = messages.asSlice(from, offsets[count] - from).toArray(ValueLayout.JAVA_BYTE);
    int[] moved = Arrays.copyOf(offsets, count + 1);
    for (int i = 0; i <= count; i++) {
      moved[i] -= from;
    }
    byte[] result = new byte[count * Digest.BYTES];
    hasher.hash(copy, moved, count, result, 0);
    MemorySegment.copy(result, 0, digests, ValueLayout.JAVA_BYTE, 0, result.length);
  }

  static void parents(
      MemorySegment children, int count, MemorySegment parents, BatchHasher hasher) {
    Ranges.checkParents(children, count, parents);
    byte[] copy = children.asSlice(0, 2L * count * Digest.BYTES).toArray(ValueLayout.JAVA_BYTE);
    hasher.parents(copy, 0, count, copy, 0);
    MemorySegment.copy(copy, 0, parents, ValueLayout.JAVA_BYTE, 0, count * Digest.BYTES);
  }

  static void subtrees(
      MemorySegment leaves, int width, int count, MemorySegment nodes, BatchHasher hasher) {
    Ranges.checkSubtrees(leaves, width, count, nodes);
    byte[] copy =
        leaves.asSlice(0, (long) count * width * Digest.BYTES).toArray(ValueLayout.JAVA_BYTE);
    byte[] made = new byte[count * (width - 1) * Digest.BYTES];
    hasher.subtrees(copy, 0, width, count, made, 0);
    MemorySegment.copy(made, 0, nodes, ValueLayout.JAVA_BYTE, 0, made.length);
  }
}
