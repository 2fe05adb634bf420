package io.tallystick.server.state;

import io.tallystick.journal.Feature;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.KeptState;
import io.tallystick.node.KeptStates;
import io.tallystick.server.seal.SealedHead;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.world.Purge;
import io.tallystick.storage.forest.StateForest;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The versions of strands' states that savepoints keep, as the operator and removals see and drop
/// them: {@link KeptStates}. No block is touched.
public final class StrandVersions {
  private static final long PRUNE_POLL_MILLIS = 10;
  private static final int PRUNE_POLLS_MAX = 3_000;

  private StrandVersions() {}

  /// Those of the strands whose states are open, by ledger.
  public static List<KeptState> of(Collection<StrandIndex> strands) {
    return strands.stream()
        .filter(StrandIndex::hasState)
        .flatMap(strand -> kept(strand).stream())
        .sorted(Comparator.comparing(KeptState::ledger))
        .toList();
  }

  private static Optional<KeptState> kept(StrandIndex strand) {
    return strand
        .opened(Feature.STATE_FOREST, StrandState.class)
        .flatMap(StrandState::kept)
        .map(kept -> kept(strand, kept));
  }

  private static KeptState kept(StrandIndex strand, StateForest.Kept kept) {
    SealedHead head = strand.head();
    long purged = head.governance().removals().lastPurge().map(Purge::height).orElse(0L);
    return new KeptState(
        strand.strand().ledger(),
        head.height(),
        Math.max(kept.oldestHeight(), purged),
        kept.olderCount(),
        kept.olderBytes());
  }

  /// @throws RequestRejectedException `FEATURE_NOT_ENABLED` if the ledger has no state
  public static void checkOn(StrandIndex strand) throws RequestRejectedException {
    if (!strand.hasState()) {
      throw new RequestRejectedException(
          RejectionCode.FEATURE_NOT_ENABLED, "the ledger has no state");
    }
  }

  /// See {@link KeptStates#pruneState}. Waits for the savepoint that drops them, and until their
  /// room is given back.
  ///
  /// @param height of a block; {@link #checkOn} has passed
  /// @throws RequestRejectedException `UNAVAILABLE` if that takes too long; it is done later then
  public static KeptState prune(StrandIndex strand, long height, PastStates past)
      throws IOException, CorruptStreamException, RequestRejectedException {
    StrandState state = StrandState.of(strand);
    state.prune(height);
    for (int i = 0; i < PRUNE_POLLS_MAX; i++) {
      past.dropIdle(0);
      if (!state.isPruning()) {
        return state.kept().map(kept -> kept(strand, kept)).orElseThrow(() -> later(strand));
      }
      pause();
    }
    throw later(strand);
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(PRUNE_POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while older versions are dropped");
    }
  }

  private static RequestRejectedException later(StrandIndex strand) {
    return new RequestRejectedException(
        RejectionCode.UNAVAILABLE,
        String.format(
            Locale.ROOT,
            "the versions of %s are not dropped yet: somebody reads one, or the state is rebuilt;"
                + " ask again",
            strand.strand()));
  }

  /// Drops the versions below a purge's block, and zeros what only they had.
  ///
  /// @return whether that is done; to be asked again otherwise
  public static boolean areGone(StrandIndex strand, Purge purge, PastStates past)
      throws IOException, CorruptStreamException {
    if (!strand.hasState()) {
      return true;
    }
    past.dropBelow(strand.strand(), purge.height());
    past.dropIdle(0); // each keeps slots of all states from being written over
    StrandState state = StrandState.of(strand);
    return state.areGone(purge.height());
  }
}
