package io.tallystick.server.state;

import io.tallystick.head.LastSeal;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Limits;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateLookup;
import io.tallystick.merkle.forest.StateRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.BlockView;
import io.tallystick.node.HistoryQuery;
import io.tallystick.node.ProvenState;
import io.tallystick.node.ProvenStatePage;
import io.tallystick.node.ProvenStates;
import io.tallystick.node.ReadValue;
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
import io.tallystick.state.LookupProof;
import io.tallystick.storage.forest.ForestReader;
import io.tallystick.storage.forest.ForestVersion;
import io.tallystick.storage.forest.HeldEntry;
import io.tallystick.storage.forest.StateForest;
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

  /// A block whose state is read, and what every proof of it begins with.
  record At(BlockRow row, BlockView view, LastSeal seal, ForestReader reader, Opened opened)
      implements AutoCloseable {
    StateRoot root() {
      return new StateRoot(row.stateRoot());
    }

    long height() {
      return view.height();
    }

    @Override
    public void close() {
      opened.close();
    }
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
    checkOn(strand);
    checkKey(key);
    return SteadyRead.of(
        strand,
        Feature.STATE_FOREST,
        () -> {
          try (At at = at(strand, height)) {
            return look(strand, key, at, withValue);
          }
        });
  }

  /// The values of keys as of the newest block, for operations that depend on them.
  public KeyReading reading(StrandIndex strand, Collection<Bytes> keys)
      throws IOException, CorruptStreamException, RequestRejectedException {
    checkOn(strand);
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

  private static Optional<ForestReader> open(StateForest.At at) {
    return at instanceof StateForest.At.Kept(ForestVersion version)
        ? version.open()
        : Optional.empty();
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
    checkOn(strand);
    List<Bytes> sorted = StateKeys.sorted(keys);
    return SteadyRead.of(
        strand,
        Feature.STATE_FOREST,
        () -> {
          try (At at = at(strand, height)) {
            Optional<ProvenStates> several =
                StateKeys.several(strand, sorted, at, values, withValues);
            return several.isPresent()
                ? several.get()
                : StateKeys.one(
                    sorted, look(strand, sorted.getFirst(), at, withValues), withValues);
          }
        });
  }

  /// See {@link StateReads#statePage}.
  public ProvenStatePage page(StrandIndex strand, StateQuery query)
      throws IOException, CorruptStreamException, RequestRejectedException {
    checkOn(strand);
    StatePages.check(query);
    return SteadyRead.of(
        strand,
        Feature.STATE_FOREST,
        () -> {
          try (At at = at(strand, query.height())) {
            return StatePages.page(strand, query, at, values);
          }
        });
  }

  /// See {@link StateReads#stateHistory}.
  ///
  /// @param size of the tree, at most the newest
  public StateHistory history(StrandIndex strand, HistoryQuery query, long size)
      throws IOException, CorruptStreamException, RequestRejectedException {
    checkOn(strand);
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
      try (At at = ProvenStateReader.this.at(strand, height)) {
        return Optional.of(look(strand, key, at, false));
      } catch (RequestRejectedException e) {
        if (e.code() == RejectionCode.PRUNED || e.code() == RejectionCode.RATE_LIMITED) {
          return Optional.empty();
        }
        throw e;
      }
    }

    @Override
    public KeyHistories.Replay replay(long height) throws IOException, CorruptStreamException {
      return StrandState.of(strand).versionAt(height) instanceof StateForest.At.Saved saved
              && saved.isWithinReach()
          ? new KeyHistories.Replay(saved.version().height(), saved.operationsBehind())
          : KeyHistories.Replay.NONE;
    }
  }

  private ProvenState look(StrandIndex strand, Bytes key, At at, boolean withValue)
      throws IOException, CorruptStreamException, RequestRejectedException {
    ForestReader.Proven proven = at.reader.proven(key);
    StateLookup lookup = proven.lookup();
    StateAnswer answer;
    try {
      answer = lookup.verify(key, at.root(), at.height());
    } catch (ProofRejectedException e) {
      throw damaged(e);
    }
    LookupProof proof = new LookupProof(at.seal, key, lookup);
    int bytes = proof.encode().size();
    if (bytes > LookupProof.BYTES_MAX) {
      throw new RequestRejectedException(
              RejectionCode.TOO_LARGE,
              String.format(
                  Locale.ROOT, "the proof has %d bytes, at most %d", bytes, LookupProof.BYTES_MAX))
          .withLimit(LookupProof.BYTES_MAX);
    }
    ReadValue value = ReadValue.NONE;
    if (withValue && answer instanceof StateAnswer.Present(StateEntry entry)) {
      value = values.read(strand, heldAs(entry, proven.held()));
    }
    return new ProvenState(at.view, proof, answer, value);
  }

  private static HeldEntry heldAs(StateEntry shown, Optional<HeldEntry> found) {
    return found
        .filter(held -> held.entry().equals(shown))
        .orElseThrow(() -> new AssertionError("the proof shows another entry than was found"));
  }

  /// @param height or {@link StateReads#NEWEST}
  private At at(StrandIndex strand, long height)
      throws IOException, CorruptStreamException, RequestRejectedException {
    for (int i = 0; i < TRIES_MAX; i++) {
      SealedHead head = strand.head();
      long wanted = height == StateReads.NEWEST ? head.height() : height;
      if (wanted < 0 || wanted > head.height()) {
        throw new RequestRejectedException(
                RejectionCode.OUT_OF_RANGE,
                String.format(
                    Locale.ROOT,
                    "block %d does not exist; the newest is %d",
                    height,
                    head.height()))
            .withLimit(head.height());
      }
      checkKept(head, wanted);
      Optional<Opened> reader = open(strand, wanted, StrandState.of(strand).versionAt(wanted));
      if (reader.isPresent()) {
        return at(strand, wanted, reader.get());
      }
    }
    throw tooFast(strand);
  }

  /// @return empty if the version is no longer kept, and is to be asked for again
  private Optional<Opened> open(StrandIndex strand, long height, StateForest.At at)
      throws IOException, CorruptStreamException, RequestRejectedException {
    return switch (at) {
      case StateForest.At.Kept(ForestVersion version) -> version.open().map(Opened::of);
      case StateForest.At.Saved saved -> {
        Digest sealed = strand.block(height).stateRoot();
        if (saved.version().root().digest().equals(sealed)) {
          yield saved.version().open().map(Opened::of);
        }
        checkWithinReach(height, saved);
        yield past.at(strand, height, saved.version(), log).map(Opened::of);
      }
      case StateForest.At.Changed _ -> Optional.empty();
      case StateForest.At.Pruned(long oldestHeight) ->
          throw new RequestRejectedException(
                  RejectionCode.PRUNED,
                  String.format(
                      Locale.ROOT,
                      "the state of block %d is not kept any more; the oldest kept is that of block"
                          + " %d",
                      height,
                      oldestHeight))
              .withLimit(oldestHeight);
    };
  }

  /// @throws RequestRejectedException `PRUNED` if it would take too many operations to make it
  private static void checkWithinReach(long height, StateForest.At.Saved saved)
      throws RequestRejectedException {
    if (!saved.isWithinReach()) {
      throw new RequestRejectedException(
              RejectionCode.PRUNED,
              String.format(
                  Locale.ROOT,
                  "the state of block %d lies up to %d operations behind that of block %d, which is"
                      + " kept: too many to carry out for a reader",
                  height,
                  saved.operationsBehind(),
                  saved.version().height()))
          .withLimit(saved.version().height());
    }
  }

  /// @throws RequestRejectedException `PRUNED` below the seal up to which the last purge goes
  private static void checkKept(SealedHead head, long height) throws RequestRejectedException {
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
  private At at(StrandIndex strand, long height, Opened opened)
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
      At at = new At(row, evidence.block(strand, height, row), seal, reader, opened);
      done = true;
      return at;
    } finally {
      if (!done) {
        opened.close();
      }
    }
  }

  private static void checkOn(StrandIndex strand) throws RequestRejectedException {
    if (!strand.hasState()) {
      throw new RequestRejectedException(
          RejectionCode.FEATURE_NOT_ENABLED, "the ledger has no state");
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
}
