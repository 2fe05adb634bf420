package io.tallystick.storage.stream;

import java.util.Locale;

/// Sizes of a local stream's files.
///
/// @param segmentBytes a segment is closed when the next frame would not fit; a larger frame gets a
///   segment of its own
/// @param firstAllocationBytes zeros written when a segment is made; small, so that an idle stream
///   costs little
/// @param allocationStepBytes at most so many zeros are written ahead at once; each step doubles
///   the file until it reaches this
public record StreamSettings(int segmentBytes, int firstAllocationBytes, int allocationStepBytes) {
  private static final int MIB = 1024 * 1024;

  /// 64 MiB segments; they grow in steps of 1 to 4 MiB, each forced in a few milliseconds.
  public static final StreamSettings DEFAULT = new StreamSettings(64 * MIB, MIB, 4 * MIB);

  private static final int SEGMENT_BYTES_MAX = 1 << 30;

  public StreamSettings {
    if (segmentBytes < SegmentHeader.BYTES || segmentBytes > SEGMENT_BYTES_MAX) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "segments of %d bytes, want %d to %d",
              segmentBytes,
              SegmentHeader.BYTES,
              SEGMENT_BYTES_MAX));
    }
    if (firstAllocationBytes < SegmentHeader.BYTES || firstAllocationBytes > segmentBytes) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "first allocation of %d bytes, want %d to %d",
              firstAllocationBytes,
              SegmentHeader.BYTES,
              segmentBytes));
    }
    if (allocationStepBytes < 1) {
      throw new IllegalArgumentException("allocation step of " + allocationStepBytes + " bytes");
    }
  }

  /// Size to which a file of `allocated` bytes grows so that it holds at least `needed`.
  long grownTo(long allocated, long needed) {
    long step = Math.min(Math.max(allocated, firstAllocationBytes), allocationStepBytes);
    return Math.max(needed, Math.min(segmentBytes, allocated + step));
  }

  /// Whether a file of `allocated` bytes, written up to `end`, should grow now, in the background.
  boolean runsLow(long allocated, long end) {
    return allocated < segmentBytes
        && allocated - end < Math.min(allocated / 2, 2L * allocationStepBytes);
  }

  /// Whether it is time to make the next segment.
  boolean wantsSpare(long end) {
    return end > segmentBytes / 2;
  }

  /// Zeros in a segment that follows a full one.
  int spareBytes() {
    return (int) Math.min(segmentBytes, Math.max(firstAllocationBytes, 2L * allocationStepBytes));
  }
}
