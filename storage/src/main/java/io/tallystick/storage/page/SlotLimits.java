package io.tallystick.storage.page;

import java.util.Locale;

/// How long slots that were given up are kept for older versions. Reaches no stored format.
///
/// @param versionsKept versions that can be read beside the newest
/// @param keptBytesMin below it all of them are kept; beyond, only as much as half of what is in
///   use
public record SlotLimits(int versionsKept, long keptBytesMin) {
  public static final SlotLimits DEFAULT = new SlotLimits(64, 1 << 20);

  public SlotLimits {
    if (versionsKept < 1 || keptBytesMin < 0) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "limits %d, %d out of range", versionsKept, keptBytesMin));
    }
  }
}
