package io.tallystick.server.state;

import io.tallystick.journal.Feature;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.KeptState;
import io.tallystick.node.KeptStates;
import io.tallystick.node.StatePruning;
import io.tallystick.server.seal.SealedHead;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.world.Purge;
import io.tallystick.storage.forest.KeptVersions;
import io.tallystick.storage.forest.OwnLimits;
import io.tallystick.storage.forest.VersionLimits;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

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

  private static KeptState kept(StrandIndex strand, KeptVersions kept) {
    SealedHead head = strand.head();
    long purged = head.governance().removals().lastPurge().map(Purge::height).orElse(0L);
    return new KeptState(
        strand.strand().ledger(),
        head.height(),
        Math.max(kept.oldestHeight(), purged),
        kept.olderCount(),
        kept.olderBytes(),
        kept.own().versionsMax(kept.limits()),
        bytesMax(kept));
  }

  private static long bytesMax(KeptVersions kept) {
    long all = kept.limits().bytesMax();
    if (all == VersionLimits.AS_NEWEST) {
      return kept.own().bytes().orElse(KeptState.AS_NEWEST);
    }
    return Math.min(all, kept.own().bytes().orElse(all));
  }

  /// @throws RequestRejectedException `FEATURE_NOT_ENABLED` if the ledger has no state
  static void checkOn(StrandIndex strand) throws RequestRejectedException {
    if (!strand.hasState()) {
      throw new RequestRejectedException(
          RejectionCode.FEATURE_NOT_ENABLED, "the ledger has no state");
    }
  }

  /// See {@link KeptStates#pruneState}. Waits for the savepoint that drops them, and until their
  /// room is given back.
  ///
  /// @throws RequestRejectedException as there
  public static KeptState prune(StrandIndex strand, StatePruning pruning, PastStates past)
      throws IOException, CorruptStreamException, RequestRejectedException {
    checkOn(strand);
    StrandState state = StrandState.of(strand);
    ask(strand, state, pruning);
    return whenDone(strand, state, past);
  }

  private static void ask(StrandIndex strand, StrandState state, StatePruning pruning)
      throws RequestRejectedException {
    switch (pruning) {
      case StatePruning.Below(long height) -> {
        long newest = strand.head().height();
        if (height < 0 || height > newest) {
          throw outOfRange(
              newest,
              String.format(
                  Locale.ROOT, "block %d does not exist; the newest is %d", height, newest));
        }
        state.prune(height);
      }
      case StatePruning.Beyond(OptionalInt versions, OptionalLong bytes) -> {
        VersionLimits limits = state.kept().orElseThrow(() -> later(strand)).limits();
        checkAtMost(versions.orElse(0), limits.versions(), "versions");
        long bytesMax =
            limits.bytesMax() == VersionLimits.AS_NEWEST ? Long.MAX_VALUE : limits.bytesMax();
        checkAtMost(bytes.orElse(0), bytesMax, "bytes");
        state.limit(new OwnLimits(versions, bytes));
      }
    }
  }

  private static void checkAtMost(long wanted, long most, String what)
      throws RequestRejectedException {
    if (wanted < 0 || wanted > most) {
      throw outOfRange(
          most,
          String.format(
              Locale.ROOT, "%d %s are not kept of any state; the most is %d", wanted, what, most));
    }
  }

  private static RequestRejectedException outOfRange(long limit, String detail) {
    return new RequestRejectedException(RejectionCode.OUT_OF_RANGE, detail).withLimit(limit);
  }

  private static KeptState whenDone(StrandIndex strand, StrandState state, PastStates past)
      throws IOException, RequestRejectedException {
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
