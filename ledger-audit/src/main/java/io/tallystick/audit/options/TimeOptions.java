package io.tallystick.audit.options;

import io.tallystick.time.TrustedTokens;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// How the time of a log is judged.
///
/// @param tokens by the authorities that the auditor trusts; without them no token is judged
/// @param maxWindowMs the longest window of a journal that is no fault; needs tokens
/// @param tLedgers by which entries are judged; without one no entry is judged
public record TimeOptions(
    Optional<TrustedTokens> tokens, OptionalLong maxWindowMs, List<TrustedTLedger> tLedgers) {
  /// No token is judged.
  public static final TimeOptions NONE =
      new TimeOptions(Optional.empty(), OptionalLong.empty(), List.of());

  public TimeOptions {
    tLedgers = List.copyOf(tLedgers);
    if (maxWindowMs.isPresent() && (maxWindowMs.getAsLong() < 0 || tokens.isEmpty())) {
      throw new IllegalArgumentException(
          "a longest window of " + maxWindowMs.getAsLong() + " ms, with tokens: " + tokens);
    }
  }

  public static TimeOptions by(TrustedTokens tokens) {
    return new TimeOptions(Optional.of(tokens), OptionalLong.empty(), List.of());
  }

  public TimeOptions withMaxWindow(long windowMs) {
    return new TimeOptions(tokens, OptionalLong.of(windowMs), tLedgers);
  }

  public TimeOptions withTLedgers(List<TrustedTLedger> trusted) {
    return new TimeOptions(tokens, maxWindowMs, trusted);
  }
}
