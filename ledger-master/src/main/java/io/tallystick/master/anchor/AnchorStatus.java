package io.tallystick.master.anchor;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// How the anchoring of a service stands.
///
/// @param lastAnchor when the newest time journal was written; absent if there was none since the
///   start
/// @param waitingSince since when the oldest journal that no time journal covers waits; absent if
///   none does
/// @param lastFailure why an anchor failed last, a code such as `slow` or `wrong_imprint`; null if
///   none did since the start
/// @param failing whether the newest attempt failed
public record AnchorStatus(
    OptionalLong lastAnchor,
    OptionalLong waitingSince,
    @Nullable String lastFailure,
    boolean failing) {
  /// As at the start.
  public static final AnchorStatus NONE =
      new AnchorStatus(OptionalLong.empty(), OptionalLong.empty(), null, false);

  AnchorStatus anchoredAt(long timeMs) {
    return new AnchorStatus(OptionalLong.of(timeMs), waitingSince, lastFailure, false);
  }

  AnchorStatus failed(String code) {
    return new AnchorStatus(lastAnchor, waitingSince, code, true);
  }

  AnchorStatus waiting(OptionalLong since) {
    return new AnchorStatus(lastAnchor, since, lastFailure, failing);
  }
}
