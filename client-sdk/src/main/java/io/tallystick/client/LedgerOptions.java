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
/// @param clueTrie whether journals may name clues from the first on; else an owner can turn that
///   on later
/// @param invitation by a key that the service's operator has allowed to invite founders; null
///   where the service needs none. It is stored in no ledger
public record LedgerOptions(
    boolean isPublic, Duration requestWindow, boolean clueTrie, @Nullable String invitation) {
  public static final LedgerOptions DEFAULT =
      new LedgerOptions(false, Duration.ofMillis(GenesisParams.DEFAULT_WINDOW_MS), true, null);

  public LedgerOptions(boolean isPublic, Duration requestWindow) {
    this(isPublic, requestWindow, true, null);
  }

  public LedgerOptions {
    if (!requestWindow.isPositive()) {
      throw new IllegalArgumentException("requestWindow " + requestWindow + " is not positive");
    }
  }

  public LedgerOptions withInvitation(String token) {
    return new LedgerOptions(isPublic, requestWindow, clueTrie, token);
  }

  /// Without the clue trie: a journal that names a clue is refused, and seals are a little cheaper.
  public LedgerOptions withoutClues() {
    return new LedgerOptions(isPublic, requestWindow, false, invitation);
  }
}
