package io.tallystick.client;

import io.tallystick.journal.GenesisParams;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What a ledger is founded with beside its name and owners. What is public and the window are
/// fixed for ever.
///
/// @param isPublic whether anyone may read it
/// @param requestWindow how long a request may be on its way: the service remembers signatures for
///   so long, and refuses later arrivals
/// @param invitation from one whom the service's operator lets invite founders; null where none is
///   needed. It stands in no ledger
public record LedgerOptions(boolean isPublic, Duration requestWindow, @Nullable String invitation) {
  public static final LedgerOptions DEFAULT =
      new LedgerOptions(false, Duration.ofMillis(GenesisParams.DEFAULT_WINDOW_MS), null);

  public LedgerOptions(boolean isPublic, Duration requestWindow) {
    this(isPublic, requestWindow, null);
  }

  public LedgerOptions {
    if (!requestWindow.isPositive()) {
      throw new IllegalArgumentException("requestWindow " + requestWindow + " is not positive");
    }
  }

  public LedgerOptions withInvitation(String token) {
    return new LedgerOptions(isPublic, requestWindow, token);
  }
}
