package io.tallystick.client;

import io.tallystick.journal.GenesisParams;
import java.time.Duration;

/// What a ledger is founded with beside its name and owners; fixed for ever.
///
/// @param isPublic whether anyone may read it
/// @param requestWindow how long a request may be on its way: the service remembers signatures for
///   so long, and refuses later arrivals
public record LedgerOptions(boolean isPublic, Duration requestWindow) {
  public static final LedgerOptions DEFAULT =
      new LedgerOptions(false, Duration.ofMillis(GenesisParams.DEFAULT_WINDOW_MS));

  public LedgerOptions {
    if (!requestWindow.isPositive()) {
      throw new IllegalArgumentException("requestWindow " + requestWindow + " is not positive");
    }
  }
}
