package io.tallystick.storage.stream;

/// How local files use {@link Location#frame()}: segment number in the high half, byte position of
/// the frame in its segment in the low half.
public final class FrameLocations {
  private FrameLocations() {}

  static long of(int segment, long position) {
    return (long) segment << Integer.SIZE | position;
  }

  /// The segment that a frame lies in.
  public static int segment(long frame) {
    return (int) (frame >>> Integer.SIZE);
  }

  /// {@link StreamStore#START} says 0, the first frame lies behind the segment's header.
  static long position(long frame) {
    return Math.max(Integer.toUnsignedLong((int) frame), SegmentHeader.BYTES);
  }
}
