package io.tallystick.audit;

import io.tallystick.time.TrustedTokens;
import java.util.Optional;
import java.util.OptionalLong;

/// How the time of a log is judged.
///
/// @param tokens by the authorities that the auditor trusts; without them no token is judged
/// @param maxWindowMs the longest window of a journal that is no fault; needs tokens
public record TimeOptions(Optional<TrustedTokens> tokens, OptionalLong maxWindowMs) {
  /// No token is judged.
  public static final TimeOptions NONE = new TimeOptions(Optional.empty(), OptionalLong.empty());

  public TimeOptions {
    if (maxWindowMs.isPresent() && (maxWindowMs.getAsLong() < 0 || tokens.isEmpty())) {
      throw new IllegalArgumentException(
          "a longest window of " + maxWindowMs.getAsLong() + " ms, with tokens: " + tokens);
    }
  }

  public static TimeOptions by(TrustedTokens tokens) {
    return new TimeOptions(Optional.of(tokens), OptionalLong.empty());
  }

  public TimeOptions withMaxWindow(long windowMs) {
    return new TimeOptions(tokens, OptionalLong.of(windowMs));
  }
}
