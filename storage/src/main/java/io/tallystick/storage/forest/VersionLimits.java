package io.tallystick.storage.forest;

import java.util.Locale;

/// How many older versions of each state savepoints keep. Reaches no stored format.
///
/// @param versions the most versions beside the newest
/// @param bytesMax the most bytes of slots and files that only they have; {@link #AS_NEWEST}
/// @param operationsBetween the most operations between two of them: what a version in between
///   takes to be made again. A savepoint is due when so many were carried out since the last
/// @param freeBytesMin with less room on the disk no older version is kept
public record VersionLimits(
    int versions, long bytesMax, long operationsBetween, long freeBytesMin) {
  /// As `bytesMax`: as many as the newest version uses, and 1 MiB at least.
  public static final long AS_NEWEST = -1;

  /// As many versions as ViDB keeps (section 5.2).
  public static final VersionLimits DEFAULT = new VersionLimits(40, AS_NEWEST, 200_000, 1 << 30);

  /// The newest version alone.
  public static final VersionLimits NONE = new VersionLimits(0, 0, Long.MAX_VALUE, 0);

  /// Whatever room is left.
  public VersionLimits(int versions, long bytesMax, long operationsBetween) {
    this(versions, bytesMax, operationsBetween, 0);
  }

  public VersionLimits {
    if (versions < 0 || bytesMax < AS_NEWEST || operationsBetween < 1 || freeBytesMin < 0) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "limits %d, %d, %d, %d out of range",
              versions,
              bytesMax,
              operationsBetween,
              freeBytesMin));
    }
  }

  /// The same with another floor of free room.
  public VersionLimits withFreeBytesMin(long bytes) {
    return new VersionLimits(versions, bytesMax, operationsBetween, bytes);
  }
}
