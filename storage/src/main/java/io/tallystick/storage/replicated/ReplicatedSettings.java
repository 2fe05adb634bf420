package io.tallystick.storage.replicated;

import io.tallystick.storage.framing.FrameHeader;
import java.util.Locale;

/// Sizes of a replicated stream's segments.
///
/// @param segmentBytes a segment is closed when the next frame would not fit; a larger frame gets a
///   segment of its own
/// @param segmentMillis a segment that is older is closed before the next frame
/// @param thinMillis a segment that is thin is closed before the next frame when it is older and
///   enough machines are there again; so a machine that comes and goes does not close many
/// @param pieceBytes frames are cut into entries of so many bytes; recorded with each segment
public record ReplicatedSettings(
    long segmentBytes, long segmentMillis, long thinMillis, int pieceBytes) {
  private static final int MIB = 1024 * 1024;

  /// 256 MiB or a day; pieces of 128 KiB, so that a small body is read without its frame.
  public static final ReplicatedSettings DEFAULT =
      new ReplicatedSettings(256L * MIB, 24L * 3600 * 1000, 30_000, MIB / 8);

  /// What a machine takes in one message has a bound of 5 MiB.
  static final int PIECE_BYTES_MAX = 4 * MIB;

  private static final long SEGMENT_BYTES_MAX = 1L << 40;

  public ReplicatedSettings {
    if (segmentBytes < FrameHeader.BYTES || segmentBytes > SEGMENT_BYTES_MAX) {
      throw new IllegalArgumentException("segments of " + segmentBytes + " bytes");
    }
    if (segmentMillis < 1 || thinMillis < 0) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT, "segments of %d ms, thin ones of %d ms", segmentMillis, thinMillis));
    }
    if (pieceBytes < FrameHeader.BYTES || pieceBytes > PIECE_BYTES_MAX) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "pieces of %d bytes, want %d to %d",
              pieceBytes,
              FrameHeader.BYTES,
              PIECE_BYTES_MAX));
    }
  }
}
