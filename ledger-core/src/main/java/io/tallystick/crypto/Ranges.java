package io.tallystick.crypto;

import java.util.Objects;

/// Checks of what a batch names. All of them come before the first hash, so that a refused batch
/// writes nothing.
final class Ranges {
  private Ranges() {}

  static void check(int offset, int stride, int count, long length) {
    if (stride < 0 || count < 0) {
      throw new IndexOutOfBoundsException(count + " messages of " + stride + " bytes");
    }
    Objects.checkFromIndexSize(offset, (long) stride * count, length);
  }

  static void checkOffsets(long length, int[] offsets, int count) {
    Objects.checkFromIndexSize(0, count, offsets.length);
    Objects.checkIndex(count, offsets.length);
    Objects.checkFromToIndex(offsets[0], offsets[count], length);
    for (int i = 0; i < count; i++) {
      if (offsets[i] > offsets[i + 1]) {
        throw new IndexOutOfBoundsException(
            "message " + i + " ends at " + offsets[i + 1] + " before it begins at " + offsets[i]);
      }
    }
  }
}
