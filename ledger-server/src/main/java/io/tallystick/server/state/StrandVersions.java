package io.tallystick.server.state;

import io.tallystick.journal.Feature;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.KeptState;
import io.tallystick.node.KeptStates;
import io.tallystick.server.seal.SteadyRead;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.storage.forest.StateForest;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The versions of strands' states in memory, as the operator sees and drops them: {@link
/// KeptStates}. No block and no savepoint is touched.
public final class StrandVersions {
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
    return new KeptState(
        strand.strand().ledger(),
        strand.head().height(),
        kept.oldestHeight(),
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

  /// See {@link KeptStates#pruneState}.
  ///
  /// @param height of a block; {@link #checkOn} has passed
  public static KeptState prune(StrandIndex strand, long height)
      throws IOException, CorruptStreamException, RequestRejectedException {
    return SteadyRead.of(
        strand,
        Feature.STATE_FOREST,
        () -> {
          StrandState state = StrandState.of(strand);
          state.prune(height);
          return state
              .kept()
              .map(kept -> kept(strand, kept))
              .orElseThrow(() ->
                  new RequestRejectedException(
                      RejectionCode.UNAVAILABLE,
                      String.format(
                          Locale.ROOT,
                          "the state of %s was just rebuilt; ask again",
                          strand.strand())));
        });
  }
}
