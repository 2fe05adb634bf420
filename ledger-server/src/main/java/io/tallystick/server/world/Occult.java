package io.tallystick.server.world;

import java.util.Locale;

/// An occult that was committed.
///
/// @param jsn its own
/// @param journals whose bodies it erases; at least one, all below `jsn`
public record Occult(long jsn, JsnSet journals) {
  public Occult {
    if (journals.isEmpty() || journals.last() >= jsn) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "occult %d of %s", jsn, journals));
    }
  }
}
