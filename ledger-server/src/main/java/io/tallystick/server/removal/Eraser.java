package io.tallystick.server.removal;

import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.saved.PendingErasureRow;
import io.tallystick.server.seal.Indexer;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.sequencer.Sequencer;
import io.tallystick.server.sequencer.StrandHead;
import io.tallystick.server.state.PastStates;
import io.tallystick.server.state.StateImages;
import io.tallystick.server.state.StrandVersions;
import io.tallystick.server.world.Occult;
import io.tallystick.server.world.Purge;
import io.tallystick.server.world.RemovalRows;
import io.tallystick.server.world.Removals;
import io.tallystick.server.world.WorldRows;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamEraser;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/// Erases what removals name, a piece in each turn: plans some frames, forces the plan into the
/// meta store, erases them, forces that they are done. After a crash a turn begins with the frames
/// that were planned. The savepoint that has a removal also has its {@link PendingErasureRow}, so
/// nothing is erased that a restart would not know to be removed. A purge is begun when it can no
/// longer be recalled. One owner thread. Source: `docs/architecture.md`, "Erase".
public final class Eraser implements AutoCloseable {
  private static final long REST_PAUSE_MILLIS = 10;

  private final MetaStore meta;
  private final StreamEraser stream;
  private final Sequencer sequencer;
  private final Indexer indexer;
  private final StateImages states;
  private final PastStates past;
  private final InstantSource clock;
  private final DeadSegments segments;
  private final OccultErasure occults;
  private final PurgeErasure purges;
  private final Set<Bytes> dropped = new HashSet<>();
  private final Set<Bytes> blocked = new HashSet<>();
  private long dueMs;

  /// A removal whose bytes cannot be erased, because they are damaged already.
  public record Blocked(LedgerId ledger, long jsn, Exception cause) {}

  private record Task(Bytes key, LedgerId ledger, long jsn, PendingErasureRow row) {
    StrandId strand() {
      return new StrandId(ledger, 0);
    }

    Task with(PendingErasureRow planned) {
      return new Task(key, ledger, jsn, planned);
    }
  }

  /// @param sequencer of the opening of the shard that the others are of, too
  public Eraser(
      MetaStore meta,
      StreamEraser stream,
      Sequencer sequencer,
      Indexer indexer,
      LogReader log,
      StateImages states,
      PastStates past,
      InstantSource clock) {
    this.meta = meta;
    this.stream = stream;
    this.sequencer = sequencer;
    this.indexer = indexer;
    this.states = states;
    this.past = past;
    this.clock = clock;
    this.segments = new DeadSegments(meta, stream, indexer);
    this.occults = new OccultErasure(stream, log, segments);
    this.purges = new PurgeErasure(stream, log, segments);
  }

  /// Erases a piece of the first removal that is due, not done and not blocked.
  ///
  /// @param report told of a removal that is left alone from now on, until this eraser is replaced
  /// @return false if there is nothing to do before {@link #dueMs}
  /// @throws IOException this eraser must not be used again; what was begun is done again by the
  ///   next one
  public boolean turn(Consumer<Blocked> report) throws IOException {
    dueMs = Long.MAX_VALUE;
    for (Task task : tasks()) {
      if (blocked.contains(task.key)) {
        continue;
      }
      try {
        if (turn(task)) {
          return true;
        }
      } catch (CorruptStreamException | MalformedException | RequestRejectedException e) {
        blocked.add(task.key);
        report.accept(new Blocked(task.ledger, task.jsn, e));
      }
    }
    return false;
  }

  /// When the first purge can be begun, by the clock; {@link Long#MAX_VALUE} if none waits.
  public long dueMs() {
    return dueMs;
  }

  private List<Task> tasks() throws IOException {
    List<Task> tasks = new ArrayList<>();
    meta.scan(
        PendingErasureRow.PREFIX,
        null,
        (key, row) -> {
          try {
            LedgerId ledger = PendingErasureRow.ledgerOf(key);
            tasks.add(
                new Task(key, ledger, PendingErasureRow.jsnOf(key), PendingErasureRow.decode(row)));
            return true;
          } catch (MalformedException e) {
            throw new IOException("row of an erasure: " + e.getMessage(), e);
          }
        });
    return tasks;
  }

  /// @return false if it is not due
  private boolean turn(Task task)
      throws IOException, CorruptStreamException, MalformedException, RequestRejectedException {
    StrandIndex strand = indexer.strand(task.strand());
    Removals removals = strand.head().governance().removals();
    Occult occult = removals.occultAt(task.jsn).orElse(null);
    if (occult != null) {
      return erase(
          task,
          from -> occults.plan(strand, occult, from),
          () -> {
            states.erase(strand, occult.journals());
            return true;
          });
    }
    Purge purge = removals.purgeAt(task.jsn).orElse(null);
    if (purge == null || (!task.row.hasBegun() && !begins(task, purge))) {
      return false; // a recall waits for its savepoint, or can still come
    }
    long begin = purges.firstJsn(strand, removals, purge);
    Task begun = task;
    if (!dropped.contains(task.key)) {
      OptionalLong needed = segments.firstNeeded(strand, purge);
      if (needed.isEmpty()) {
        return true; // the next turn looks at more ledgers
      }
      begun = drop(task, needed.getAsLong(), begin);
      dropped.add(task.key);
    }
    return erase(
        begun,
        from -> purges.plan(strand, purge, Math.max(from, begin)),
        () -> {
          states.deleteBelow(task.strand(), purge.height());
          return StrandVersions.areGone(strand, purge, past);
        });
  }

  /// Drops the segments in which nothing is left: what lies in them needs no zeros.
  ///
  /// @param needed location of the first frame that is needed
  /// @param begin the lowest jsn that is to be erased
  /// @return the task as it is then
  private Task drop(Task task, long needed, long begin) throws IOException {
    Task begun = task;
    if (stream.canDropBefore(needed)) {
      if (!task.row.hasBegun()) {
        begun = task.with(new PendingErasureRow(Math.max(1, begin), List.of()));
        meta.write(new MetaBatch().put(task.key, begun.row.encode()));
      }
      stream.dropBefore(needed);
    }
    return begun;
  }

  private boolean begins(Task task, Purge purge) throws IOException {
    long nowMs = Math.max(sequencer.timeMs(), clock.millis());
    if (nowMs <= purge.recallUntilMs()) {
      dueMs = Math.min(dueMs, purge.recallUntilMs() + 1);
      return false;
    }
    return sequencer.erasures().begin(task.ledger, task.jsn, () -> isInForce(task));
  }

  private boolean isInForce(Task task) {
    StrandHead head = sequencer.head(task.ledger);
    return head != null && head.governance().removals().purgeAt(task.jsn).isPresent();
  }

  private interface Plan {
    /// @param from the lowest jsn that is neither erased nor planned
    PendingErasureRow from(long from)
        throws IOException, CorruptStreamException, RequestRejectedException;
  }

  /// The erasing beside the stream; done again after a crash.
  private interface Rest {
    /// @return false if others are at it, and it is to be asked again soon
    boolean erase() throws IOException, CorruptStreamException;
  }

  /// @return false if it waits for others
  private boolean erase(Task task, Plan plan, Rest rest)
      throws IOException, CorruptStreamException, RequestRejectedException {
    PendingErasureRow row = task.row;
    if (row.planned().isEmpty() && !row.isLast()) {
      row = plan.from(row.next());
      meta.write(new MetaBatch().put(task.key, row.encode()));
    }
    if (!row.planned().isEmpty()) {
      stream.erase(row.planned());
    }
    MetaBatch done = new MetaBatch();
    if (row.isLast()) {
      if (!rest.erase()) {
        if (!row.planned().isEmpty()) { // they are erased
          meta.write(done.put(task.key, new PendingErasureRow(row.next(), List.of()).encode()));
        }
        dueMs = Math.min(dueMs, clock.millis() + REST_PAUSE_MILLIS);
        return false;
      }
      Bytes key = RemovalRows.doneKey(task.ledger, task.jsn);
      done.put(key, RemovalRows.encodeDone(clock.millis())).delete(task.key);
      forgetName(task, done);
    } else {
      done.put(task.key, new PendingErasureRow(row.next(), List.of()).encode());
    }
    meta.write(done);
    return true;
  }

  /// A ledger that is deleted has no name any more.
  private void forgetName(Task task, MetaBatch batch) throws IOException, CorruptStreamException {
    StrandIndex strand = indexer.strand(task.strand());
    if (strand.head().governance().deleted()) {
      batch.put(WorldRows.ledgerKey(task.ledger), WorldRows.encode(strand.ledger().nameless()));
    }
  }

  @Override
  public void close() throws IOException {
    stream.close();
  }
}
