package io.tallystick.server.removal;

import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.note.NoteWriter;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.removal.ErasureTask.Step;
import io.tallystick.server.saved.PendingErasureRow;
import io.tallystick.server.seal.Indexer;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.sequencer.Sequencer;
import io.tallystick.server.state.PastStates;
import io.tallystick.server.state.StateImages;
import io.tallystick.server.state.StrandVersions;
import io.tallystick.server.world.Occult;
import io.tallystick.server.world.Purge;
import io.tallystick.server.world.Removals;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamEraser;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Erases what removals name, in turns of one {@link ErasureTask.Step} each: plans some frames and
/// notes the plan, erases them, notes that they are erased. What is noted counts when its frame is
/// durable, which a later turn looks for: no turn waits. After a crash, and after a takeover from
/// an older savepoint, a turn begins with the frames that were planned. Nothing is erased before a
/// savepoint has the removal ({@link SavepointGate}), and so all journals that it names: a restart
/// replays none of them, and knows that they are removed. A purge is begun when it can no longer be
/// recalled, by the commit thread. One owner thread. Source: `docs/architecture.md`, "Erase".
///
/// The plan of a frame says what checksums it has when it is erased, so no other removal plans that
/// frame until it is.
public final class Eraser implements AutoCloseable {
  private static final long REST_PAUSE_MILLIS = 10;
  private static final long REST_PAUSE_MILLIS_MAX = 1_000;

  private final ErasureTable table;
  private final StreamEraser stream;
  private final Sequencer sequencer;
  private final Indexer indexer;
  private final SavepointGate gate;
  private final StateImages states;
  private final ImageRows images;
  private final PastStates past;
  private final InstantSource clock;
  private final Runnable wake;
  private final DeadSegments segments;
  private final OccultErasure occults;
  private final PurgeErasure purges;
  private final Set<Bytes> dropped = new HashSet<>();
  private final Set<Bytes> blocked = new HashSet<>();

  /// The removal whose next step is taken before any other's.
  private @Nullable ErasureTask atWork;

  /// The note that is on its way; null if none is.
  private @Nullable Sent sent;

  private long dueMs;
  private long restPauseMillis = REST_PAUSE_MILLIS;

  /// A removal whose bytes cannot be erased, because they are damaged already.
  public record Blocked(LedgerId ledger, long jsn, Exception cause) {}

  /// What a turn left to do.
  public enum Left {
    /// At once.
    MORE,

    /// When a note of it is durable.
    NOTED,

    /// Nothing before {@link #dueMs}, or before a further removal is saved.
    NOTHING
  }

  /// What follows on a step.
  private enum After {
    /// The next one of the same removal, before any other's.
    GO_ON,

    /// The next one of any.
    YIELD,

    /// One of another removal: this one has to wait, or is none any more.
    WAIT,

    /// None of any before a note is durable.
    SENT
  }

  /// A note of a removal, and what follows once it is durable.
  private record Sent(ErasureTask task, CompletableFuture<Boolean> noted, Supplier<After> then) {}

  /// What an occult or a purge removes.
  private interface Removal {
    /// @param from the lowest jsn that is neither erased nor planned
    PendingErasureRow plan(long from)
        throws IOException, CorruptStreamException, RequestRejectedException;

    /// Erases what lies beside the stream; done again after a crash.
    ///
    /// @return false if others are at it, and it is to be asked again soon
    boolean eraseRest() throws IOException, CorruptStreamException;
  }

  /// @param sequencer of the opening of the shard that the others are of, too
  /// @param wake called when a note is durable, or refused; any thread
  public Eraser(
      MetaStore meta,
      ErasureTable table,
      StreamEraser stream,
      Sequencer sequencer,
      Indexer indexer,
      LogReader log,
      SavepointGate gate,
      StateImages states,
      ImageRows images,
      PastStates past,
      InstantSource clock,
      Runnable wake) {
    this.table = table;
    this.stream = stream;
    this.sequencer = sequencer;
    this.indexer = indexer;
    this.gate = gate;
    this.states = states;
    this.images = images;
    this.past = past;
    this.clock = clock;
    this.wake = wake;
    this.segments = new DeadSegments(meta, table, stream, indexer);
    this.occults = new OccultErasure(stream, log, segments);
    this.purges = new PurgeErasure(stream, log, segments);
  }

  /// Takes the next step of the removal that is at work, or of the first that is due, not done and
  /// not blocked; nothing while a note is on its way.
  ///
  /// @param report told of a removal that is left alone from now on, until this eraser is replaced
  /// @throws RequestRejectedException if a note was refused: the step is taken again later
  /// @throws IOException this eraser must not be used again; what was begun is done again by the
  ///   next one
  public Left turn(Consumer<Blocked> report) throws IOException, RequestRejectedException {
    dueMs = Long.MAX_VALUE;
    if (sent != null && !settle(sent)) {
      return Left.NOTED;
    }
    ErasureTask begun = atWork;
    if (begun != null) {
      After after = take(begun, report);
      if (after != After.WAIT) {
        return leftBy(after);
      }
    }
    for (ErasureTask task : tasks()) {
      boolean looked = begun != null && task.key().equals(begun.key());
      if (!looked && !blocked.contains(task.key())) {
        After after = take(task, report);
        if (after != After.WAIT) {
          return leftBy(after);
        }
      }
      if (task.isHalfErased() && !blocked.contains(task.key())) {
        return Left.NOTHING; // no other is planned before
      }
    }
    return Left.NOTHING;
  }

  private static Left leftBy(After after) {
    return after == After.SENT ? Left.NOTED : Left.MORE;
  }

  /// @return false if it is not known yet what became of the note
  private boolean settle(Sent note) throws RequestRejectedException {
    if (!note.noted().isDone()) {
      return false;
    }
    sent = null;
    atWork = null;
    After after = NoteWriter.await(note.noted()) ? note.then().get() : After.WAIT;
    atWork = after == After.GO_ON ? note.task() : null;
    return true;
  }

  private After send(ErasureTask task, CompletableFuture<Boolean> noted, Supplier<After> then) {
    sent = new Sent(task, noted, then);
    var _ = noted.whenComplete((_, _) -> wake.run());
    return After.SENT;
  }

  private After take(ErasureTask task, Consumer<Blocked> report) throws IOException {
    After after = After.WAIT;
    try {
      after = step(task);
    } catch (CorruptStreamException | MalformedException | RequestRejectedException e) {
      blocked.add(task.key());
      report.accept(new Blocked(task.ledger(), task.jsn(), e));
    }
    atWork = after == After.GO_ON ? task : null;
    return after;
  }

  /// When the first purge can be begun, by the clock; {@link Long#MAX_VALUE} if none waits.
  public long dueMs() {
    return dueMs;
  }

  /// Those of which frames are planned come first: they may be erased in part.
  private List<ErasureTask> tasks() throws IOException {
    List<ErasureTask> tasks = new ArrayList<>();
    List<ErasureTask> others = new ArrayList<>();
    try {
      for (ErasureTask task : table.tasks()) {
        (task.isHalfErased() ? tasks : others).add(task);
      }
    } catch (MalformedException e) {
      throw new IOException("row of an erasure: " + e.getMessage(), e);
    }
    tasks.addAll(others);
    return tasks;
  }

  private After step(ErasureTask task)
      throws IOException, CorruptStreamException, MalformedException, RequestRejectedException {
    StrandIndex strand = indexer.strand(task.strand());
    Removals removals = strand.head().governance().removals();
    Optional<Occult> occult = removals.occultAt(task.jsn());
    Optional<Purge> purge = removals.purgeAt(task.jsn());
    if (occult.isEmpty() && purge.isEmpty()) {
      return After.WAIT; // a recall waits for its savepoint
    }
    if (purge.isPresent() && task != atWork) {
      task.beginPurge(dropped.contains(task.key()));
    }
    if (purge.isPresent() && task.step() == Step.DUE && isRecallable(purge.get())) {
      return After.WAIT;
    }
    if (!gate.has(strand.block(strand.heightOf(task.jsn())).frame())) {
      return After.WAIT; // for the savepoint that has it
    }
    return occult.isPresent()
        ? erase(task, removal(strand, occult.get()))
        : step(task, strand, removals, purge.orElseThrow());
  }

  private After step(ErasureTask task, StrandIndex strand, Removals removals, Purge purge)
      throws IOException, CorruptStreamException, RequestRejectedException {
    long begin = purges.firstJsn(strand, removals, purge);
    return switch (task.step()) {
      case DUE -> begin(task, begin);
      case SEGMENTS -> findSegments(task, segments.firstNeeded(strand, purge));
      case DROP -> drop(task);
      case PLAN, ERASE, REST, DONE -> erase(task, removal(strand, purge, begin));
    };
  }

  private boolean isRecallable(Purge purge) {
    long nowMs = Math.max(sequencer.timeMs(), clock.millis());
    boolean recallable = nowMs <= purge.recallUntilMs();
    if (recallable) {
      dueMs = Math.min(dueMs, purge.recallUntilMs() + 1);
    }
    return recallable;
  }

  /// @param first the lowest jsn that is to be erased
  private After begin(ErasureTask task, long first) {
    PendingErasureRow begun = new PendingErasureRow(Math.max(1, first), List.of());
    return send(
        task,
        table.begin(task, begun),
        () -> {
          task.noted(begun);
          task.next(Step.SEGMENTS);
          return After.GO_ON;
        });
  }

  /// What lies in segments in which nothing is left needs no zeros.
  ///
  /// @param needed location of the first frame that is needed; empty if there are more ledgers to
  ///   look at
  private After findSegments(ErasureTask task, OptionalLong needed) {
    if (needed.isEmpty()) {
      return After.GO_ON;
    }
    if (stream.canDropBefore(needed.getAsLong())) {
      task.dropBefore(needed.getAsLong());
    } else {
      dropped.add(task.key());
      task.nextInRow();
    }
    return After.GO_ON;
  }

  private After drop(ErasureTask task) throws IOException {
    gate.checkDroppable(task.firstNeeded());
    stream.dropBefore(task.firstNeeded());
    dropped.add(task.key());
    task.nextInRow();
    return After.GO_ON;
  }

  private Removal removal(StrandIndex strand, Occult occult) {
    return new Removal() {
      @Override
      public PendingErasureRow plan(long from)
          throws IOException, CorruptStreamException, RequestRejectedException {
        return occults.plan(strand, occult, from);
      }

      @Override
      public boolean eraseRest() throws IOException, CorruptStreamException {
        return images.replaceValues(
            strand.strand(), occult.jsn(), () -> states.erase(strand, occult.journals()));
      }
    };
  }

  private Removal removal(StrandIndex strand, Purge purge, long begin) {
    return new Removal() {
      @Override
      public PendingErasureRow plan(long from) throws IOException, CorruptStreamException {
        return purges.plan(strand, purge, Math.max(from, begin));
      }

      @Override
      public boolean eraseRest() throws IOException, CorruptStreamException {
        states.deleteBelow(strand.strand(), purge.height());
        return StrandVersions.areGone(strand, purge, past)
            && images.eraseBelow(strand.strand(), purge.height());
      }
    };
  }

  private After erase(ErasureTask task, Removal removal)
      throws IOException, CorruptStreamException, RequestRejectedException {
    return switch (task.step()) {
      case PLAN -> {
        PendingErasureRow plan = removal.plan(task.row().next());
        if (isPlannedByOthers(task, plan)) {
          yield After.WAIT; // until that one's bytes are repaired
        }
        yield note(task, plan);
      }
      case ERASE -> eraseFrames(task);
      case REST -> eraseRest(task, removal);
      case DONE -> send(task, table.done(task), () -> After.YIELD);
      case DUE, SEGMENTS, DROP ->
          throw new AssertionError("removal " + task.jsn() + " is at step " + task.step());
    };
  }

  /// A blocked removal may have planned some of the same frames, and erased them in part: what it
  /// has planned for them would not fit any more.
  private boolean isPlannedByOthers(ErasureTask task, PendingErasureRow plan) throws IOException {
    Set<Long> frames = new HashSet<>();
    plan.planned().forEach(each -> frames.add(each.frame()));
    return tasks().stream()
        .filter(other -> !other.key().equals(task.key()))
        .flatMap(other -> other.row().planned().stream())
        .anyMatch(each -> frames.contains(each.frame()));
  }

  private After eraseFrames(ErasureTask task) throws IOException, CorruptStreamException {
    gate.checkErasable(task.row().planned());
    stream.erase(task.row().planned());
    return note(task, new PendingErasureRow(task.row().next(), List.of()));
  }

  private After eraseRest(ErasureTask task, Removal removal)
      throws IOException, CorruptStreamException {
    if (removal.eraseRest()) {
      restPauseMillis = REST_PAUSE_MILLIS;
      task.next(Step.DONE);
      return After.GO_ON;
    }
    dueMs = Math.min(dueMs, clock.millis() + restPauseMillis);
    restPauseMillis = Math.min(2 * restPauseMillis, REST_PAUSE_MILLIS_MAX);
    return After.WAIT;
  }

  private After note(ErasureTask task, PendingErasureRow row) {
    return send(
        task,
        table.progress(task, row),
        () -> {
          task.noted(row);
          return task.isHalfErased() || row.isLast() ? After.GO_ON : After.YIELD;
        });
  }

  @Override
  public void close() throws IOException {
    stream.close();
  }
}
