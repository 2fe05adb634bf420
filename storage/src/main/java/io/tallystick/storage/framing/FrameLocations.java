package io.tallystick.storage.framing;

/// How stores use `Location.frame`: the number of the segment in the high half, the place of the
/// frame in its segment in the low half. In a local file a place is a byte position.
public final class FrameLocations {
  private FrameLocations() {}

  public static long of(int segment, long place) {
    return (long) segment << Integer.SIZE | place;
  }

  /// The segment that a frame lies in.
  public static int segment(long frame) {
    return (int) (frame >>> Integer.SIZE);
  }

  /// The place of a frame in its segment.
  public static long place(long frame) {
    return Integer.toUnsignedLong((int) frame);
  }
}
