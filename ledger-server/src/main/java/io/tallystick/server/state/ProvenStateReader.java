package io.tallystick.server.state;

import io.tallystick.head.LastSeal;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Limits;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.HistoryQuery;
import io.tallystick.node.ProvenState;
import io.tallystick.node.ProvenStatePage;
import io.tallystick.node.ProvenStates;
import io.tallystick.node.StateHistory;
import io.tallystick.node.StateQuery;
import io.tallystick.node.StateReads;
import io.tallystick.server.read.Evidence;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.seal.SealedHead;
import io.tallystick.server.seal.SteadyRead;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.sequencer.KeyReading;
import io.tallystick.server.sequencer.Standing;
import io.tallystick.server.world.Purge;
import io.tallystick.storage.forest.ForestReader;
import io.tallystick.storage.forest.ForestVersion;
import io.tallystick.storage.forest.HeldEntry;
import io.tallystick.storage.forest.VersionAt;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Answers what a ledger's state holds, proven under the head of the block asked for. Every proof
/// is verified before it leaves: stored damage becomes an error here, never a wrong answer.
/// Thread-safe. Source: `docs/formats/forest.md`.
public final class ProvenStateReader {
  /// The newest version moves on while it is looked for.
  private static final int TRIES_MAX = 100;

  private final Evidence evidence;
  private final LogReader log;
  private final PastStates past;
  private final ValueReader values;

  /// @param images what purges leave of values
  /// @param past makes the states between saved versions
  public ProvenStateReader(Evidence evidence, LogReader log, StateImages images, PastStates past) {
    this.evidence = evidence;
    this.log = log;
    this.past = past;
    this.values = new ValueReader(log, images);
  }

  /// A reader, and how it is closed.
  record Opened(ForestReader reader, Runnable onClose) implements AutoCloseable {
    static Opened of(ForestReader reader) {
      return new Opened(reader, reader::close);
    }

    static Opened of(PastStates.Lease lease) {
      return new Opened(lease.reader(), lease::close);
    }

    @Override
    public void close() {
      onClose.run();
    }
  }

  /// See {@link StateReads#state}.
  public ProvenState state(StrandIndex strand, Bytes key, long height, boolean withValue)
      throws IOException, CorruptStreamException, RequestRejectedException {
    StrandVersions.checkOn(strand);
    checkKey(key);
    return SteadyRead.of(
        strand,
        Feature.STATE_FOREST,
        () -> {
          try (StateAt at = at(strand, height)) {
            return StateKeys.look(key, at, withValue);
          }
        });
  }

  /// The values of keys as of the newest block, for operations that depend on them.
  public KeyReading reading(StrandIndex strand, Collection<Bytes> keys)
      throws IOException, CorruptStreamException, RequestRejectedException {
    StrandVersions.checkOn(strand);
    return SteadyRead.of(
        strand,
        Feature.STATE_FOREST,
        () -> {
          for (int i = 0; i < TRIES_MAX; i++) {
            long height = strand.head().height();
            Optional<ForestReader> kept = open(StrandState.of(strand).versionAt(height));
            if (kept.isPresent()) {
              try (ForestReader reader = kept.get()) {
                return reading(height, reader, keys);
              }
            }
          }
          throw tooFast(strand);
        });
  }

  private static Optional<ForestReader> open(VersionAt at) {
    return at instanceof VersionAt.Kept(ForestVersion version) ? version.open() : Optional.empty();
  }

  private static KeyReading reading(long height, ForestReader reader, Collection<Bytes> keys)
      throws IOException, CorruptStreamException {
    Map<Bytes, Standing> held = new HashMap<>();
    for (Bytes key : keys) {
      reader
          .find(key)
          .map(HeldEntry::entry)
          .ifPresent(entry ->
              held.put(key, new Standing(entry.jsn().value(), entry.valueCommit().orElse(null))));
    }
    return new KeyReading(height, held);
  }

  /// See {@link StateReads#states}.
  public ProvenStates states(StrandIndex strand, List<Bytes> keys, long height, boolean withValues)
      throws IOException, CorruptStreamException, RequestRejectedException {
    StrandVersions.checkOn(strand);
    List<Bytes> sorted = StateKeys.sorted(keys);
    return SteadyRead.of(
        strand,
        Feature.STATE_FOREST,
        () -> {
          try (StateAt at = at(strand, height)) {
            return StateKeys.look(sorted, at, withValues);
          }
        });
  }

  /// See {@link StateReads#statePage}.
  public ProvenStatePage page(StrandIndex strand, StateQuery query)
      throws IOException, CorruptStreamException, RequestRejectedException {
    StrandVersions.checkOn(strand);
    StatePages.check(query);
    return SteadyRead.of(
        strand,
        Feature.STATE_FOREST,
        () -> {
          try (StateAt at = at(strand, query.height())) {
            return StatePages.page(query, at);
          }
        });
  }

  /// See {@link StateReads#stateHistory}.
  ///
  /// @param size of the tree, at most the newest
  public StateHistory history(StrandIndex strand, HistoryQuery query, long size)
      throws IOException, CorruptStreamException, RequestRejectedException {
    StrandVersions.checkOn(strand);
    checkKey(query.key());
    KeyHistories histories =
        new KeyHistories(evidence, log, values, new StatesOf(strand, query.key()));
    return SteadyRead.of(strand, Feature.STATE_FOREST, () -> histories.read(strand, query, size));
  }

  /// The states of a key that a history shows.
  private final class StatesOf implements KeyHistories.States {
    private final StrandIndex strand;
    private final Bytes key;

    StatesOf(StrandIndex strand, Bytes key) {
      this.strand = strand;
      this.key = key;
    }

    /// One that is not kept, or that cannot be made now, is left out.
    @Override
    public Optional<ProvenState> at(long height)
        throws IOException, CorruptStreamException, RequestRejectedException {
      try (StateAt at = ProvenStateReader.this.at(strand, height)) {
        return Optional.of(StateKeys.look(key, at, false));
      } catch (RequestRejectedException e) {
        if (e.code() == RejectionCode.PRUNED || e.code() == RejectionCode.RATE_LIMITED) {
          return Optional.empty();
        }
        throw e;
      }
    }

    @Override
    public KeyHistories.Replay replay(long height) throws IOException, CorruptStreamException {
      return StrandState.of(strand).versionAt(height) instanceof VersionAt.Saved saved
              && saved.isWithinReach()
          ? new KeyHistories.Replay(saved.version().height(), saved.operationsBehind())
          : KeyHistories.Replay.NONE;
    }
  }

  /// @param height or {@link StateReads#NEWEST}
  private StateAt at(StrandIndex strand, long height)
      throws IOException, CorruptStreamException, RequestRejectedException {
    for (int i = 0; i < TRIES_MAX; i++) {
      SealedHead head = strand.head();
      long wanted = height == StateReads.NEWEST ? head.height() : height;
      checkExists(head, wanted);
      checkKept(head, wanted);
      Optional<Opened> reader = open(strand, wanted, StrandState.of(strand).versionAt(wanted));
      if (reader.isPresent()) {
        return at(strand, wanted, reader.get());
      }
    }
    throw tooFast(strand);
  }

  /// @return empty if the version is no longer kept, and is to be asked for again
  private Optional<Opened> open(StrandIndex strand, long height, VersionAt at)
      throws IOException, CorruptStreamException, RequestRejectedException {
    return switch (at) {
      case VersionAt.Kept(ForestVersion version) -> version.open().map(Opened::of);
      case VersionAt.Saved saved -> {
        Digest sealed = strand.block(height).stateRoot();
        if (saved.version().root().digest().equals(sealed)) {
          yield saved.version().open().map(Opened::of);
        }
        checkWithinReach(height, saved);
        yield past.at(strand, height, saved.version(), log).map(Opened::of);
      }
      case VersionAt.Changed _ -> Optional.empty();
      case VersionAt.Pruned(long oldestHeight) ->
          throw new RequestRejectedException(
                  RejectionCode.PRUNED,
                  String.format(
                      Locale.ROOT,
                      "the state of block %d is not kept any more; the oldest kept is that of block"
                          + " %d; %s",
                      height,
                      oldestHeight,
                      offline(height)))
              .withLimit(oldestHeight);
    };
  }

  /// @throws RequestRejectedException `PRUNED` if it would take too many operations to make it
  private static void checkWithinReach(long height, VersionAt.Saved saved)
      throws RequestRejectedException {
    if (!saved.isWithinReach()) {
      throw new RequestRejectedException(
              RejectionCode.PRUNED,
              String.format(
                  Locale.ROOT,
                  "the state of block %d lies up to %d operations behind that of block %d, which is"
                      + " kept: too many to carry out for a reader; %s",
                  height,
                  saved.operationsBehind(),
                  saved.version().height(),
                  offline(height)))
          .withLimit(saved.version().height());
    }
  }

  /// What makes the state all the same.
  private static String offline(long height) {
    return String.format(
        Locale.ROOT,
        "`tally rebuild --index state --as-of %d --out DIR` makes it from the log",
        height);
  }

  /// @throws RequestRejectedException `OUT_OF_RANGE`
  static void checkExists(SealedHead head, long height) throws RequestRejectedException {
    if (height < 0 || height > head.height()) {
      throw new RequestRejectedException(
              RejectionCode.OUT_OF_RANGE,
              String.format(
                  Locale.ROOT, "block %d does not exist; the newest is %d", height, head.height()))
          .withLimit(head.height());
    }
  }

  /// @throws RequestRejectedException `PRUNED` below the seal up to which the last purge goes
  static void checkKept(SealedHead head, long height) throws RequestRejectedException {
    Optional<Purge> purge = head.governance().removals().lastPurge();
    if (purge.isPresent() && height < purge.get().height()) {
      throw new RequestRejectedException(
              RejectionCode.PRUNED,
              String.format(
                  Locale.ROOT,
                  "the state of block %d was removed by purge %d, which goes up to block %d",
                  height,
                  purge.get().jsn(),
                  purge.get().height()))
          .withLimit(purge.get().height());
    }
  }

  static RequestRejectedException tooFast(StrandIndex strand) {
    return new RequestRejectedException(
        RejectionCode.UNAVAILABLE, "the state of " + strand.strand() + " changes too fast");
  }

  /// @param opened closed with the answer, or by this if it fails
  private StateAt at(StrandIndex strand, long height, Opened opened)
      throws IOException, CorruptStreamException, RequestRejectedException {
    ForestReader reader = opened.reader();
    boolean done = false;
    try {
      BlockRow row = strand.block(height);
      if (!reader.root().digest().equals(row.stateRoot())) {
        throw new CorruptStreamException(
            "state of " + strand.strand(),
            height,
            String.format(
                Locale.ROOT,
                "root is %s, block %d sealed %s",
                reader.root().digest(),
                height,
                row.stateRoot()));
      }
      LastSeal seal = evidence.lastSeal(strand, height, row);
      StateAt at =
          new StateAt(
              evidence.block(strand, height, row),
              seal,
              reader.root(),
              reader,
              values.of(strand),
              opened::close);
      done = true;
      return at;
    } finally {
      if (!done) {
        opened.close();
      }
    }
  }

  static void checkKey(Bytes key) throws RequestRejectedException {
    if (key.isEmpty() || key.size() > Limits.KEY_BYTES_MAX) {
      throw new RequestRejectedException(
              RejectionCode.OPERATION_INVALID,
              String.format(
                  Locale.ROOT, "key of %d bytes, want 1 to %d", key.size(), Limits.KEY_BYTES_MAX))
          .withLimit(Limits.KEY_BYTES_MAX);
    }
  }

  static RequestRejectedException damaged(ProofRejectedException cause) {
    return new RequestRejectedException(
        RejectionCode.DAMAGED, "the stored state does not prove it: " + cause.getMessage(), cause);
  }

  /// @param what the proof shows beside what was found: a damaged filter hides entries
  static RequestRejectedException damaged(String what) {
    return new RequestRejectedException(
        RejectionCode.DAMAGED, "the stored state does not prove it: " + what);
  }
}
