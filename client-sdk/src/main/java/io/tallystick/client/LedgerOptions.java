package io.tallystick.client;

import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.StateParams;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The options with which a ledger is founded, besides its name and owners. Whether it is public,
/// the window and the state are fixed for ever.
///
/// @param isPublic whether anyone may read it
/// @param requestWindow how long a request may be on its way: the service remembers signatures for
///   so long, and refuses later arrivals
/// @param clueTrie whether journals may name clues from the first on; else an owner can turn that
///   on later
/// @param state the shape of the ledger's state; null: it has none, and never will
/// @param invitation by a key that the service's operator has allowed to invite founders; null
///   where the service needs none. It is stored in no ledger
public record LedgerOptions(
    boolean isPublic,
    Duration requestWindow,
    boolean clueTrie,
    @Nullable StateParams state,
    @Nullable String invitation) {
  /// With clues and without a state.
  public static final LedgerOptions DEFAULT =
      new LedgerOptions(
          false, Duration.ofMillis(GenesisParams.DEFAULT_WINDOW_MS), true, null, null);

  /// Partitions of two million entries; nodes of about 4 KiB.
  public static final StateParams STATE_DEFAULT = new StateParams(1 << 21, 1, 40, 32, 1);

  public LedgerOptions(boolean isPublic, Duration requestWindow) {
    this(isPublic, requestWindow, true, null, null);
  }

  public LedgerOptions {
    if (!requestWindow.isPositive()) {
      throw new IllegalArgumentException("requestWindow " + requestWindow + " is not positive");
    }
  }

  public LedgerOptions withInvitation(String token) {
    return new LedgerOptions(isPublic, requestWindow, clueTrie, state, token);
  }

  /// Without the clue trie: a journal that names a clue is refused, and seals are a little cheaper.
  public LedgerOptions withoutClues() {
    return new LedgerOptions(isPublic, requestWindow, false, state, invitation);
  }

  /// With a state: journals may put and delete keys, see {@link LedgerState}. It cannot be turned
  /// on later.
  public LedgerOptions withState() {
    return withState(STATE_DEFAULT);
  }

  /// The same with nodes and partitions of other sizes.
  public LedgerOptions withState(StateParams params) {
    return new LedgerOptions(isPublic, requestWindow, clueTrie, params, invitation);
  }
}
