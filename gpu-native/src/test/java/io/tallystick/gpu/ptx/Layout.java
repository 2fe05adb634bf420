package io.tallystick.gpu.ptx;

/// Hands out addresses of one state space, upwards, with a gap after each object.
final class Layout {
  private static final int ALIGNMENT_BYTES_MIN = 16;

  private long next;

  Layout(long first) {
    this.next = first;
  }

  /// The address of an object of `bytes` bytes.
  ///
  /// @param alignmentBytes a power of two
  long place(long bytes, int alignmentBytes) {
    long alignment = Math.max(ALIGNMENT_BYTES_MIN, alignmentBytes);
    long base = (next + alignment - 1) & -alignment;
    next = base + bytes + Memory.GAP_BYTES;
    return base;
  }

  /// Where the next object could begin.
  long end() {
    return next;
  }
}
