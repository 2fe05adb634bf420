package io.tallystick.server.shard;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.frame.BlockDraft;
import io.tallystick.server.frame.CommitFrameWriter;
import io.tallystick.server.frame.Guard;
import io.tallystick.server.mark.ReadOnlyMarks;
import io.tallystick.server.note.Note;
import io.tallystick.server.note.NotesSection;
import io.tallystick.server.sequencer.Input;
import io.tallystick.server.sequencer.Step;
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.storage.stream.PendingFrame;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamUnavailableException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The work of the commit thread: it takes what waits, lets the sequencer decide, writes one frame
/// with one force, hands it to the indexer. *Committed = durable here.* Source:
/// `docs/architecture.md`, "Commit" and "Force".
final class CommitLoop {
  private static final Logger LOG = LoggerFactory.getLogger(CommitLoop.class);
  private static final int GUARDS_PER_FRAME_MAX = 4096;
  private static final long FREE_SPACE_CHECK_MILLIS = 200;

  private final ShardConfig config;
  private final ShardStorage storage;
  private final OpenShard shard;
  private final Intake intake;
  private final IndexBacklog backlog;
  private final ShardMetrics metrics;
  private final Consumer<AdmittedAppend> readAgain;
  private final CommitFrameWriter frames = new CommitFrameWriter();
  private final FramePool pool = new FramePool();
  private final ClockWatch clocks;
  private final RoomWatch room;
  private boolean busy;
  private boolean lowSpace;
  private long freeSpaceCheckedAt;

  /// @param readAgain takes what the sequencer could not decide, to put it back
  CommitLoop(
      ShardConfig config,
      ShardStorage storage,
      OpenShard shard,
      Intake intake,
      IndexBacklog backlog,
      ShardMetrics metrics,
      Consumer<AdmittedAppend> readAgain) {
    this.config = config;
    this.storage = storage;
    this.shard = shard;
    this.intake = intake;
    this.backlog = backlog;
    this.metrics = metrics;
    this.readAgain = readAgain;
    this.clocks = new ClockWatch(storage.stream().shard());
    this.room = new RoomWatch(storage.stream().shard(), config.disk().freeBytesMin(), LOG::warn);
  }

  /// One turn: waits for room and for a first input, commits what came, or closes what is idle.
  ///
  /// @return false after the last turn: the intake is closed and drained, or the backlog closed
  /// @throws IOException if the writer died; what was in its frame has been failed
  boolean turn(long idleMillis) throws IOException, InterruptedException {
    if (intake.isDrained()) {
      if (shard.indexer().hasUnguarded()) {
        writeGuards();
      }
      return false;
    }
    if (!backlog.awaitRoom()) {
      return false;
    }
    List<Input<AdmittedAppend>> inputs = intake.take(idleMillis, busy);
    busy = inputs.size() > 1;
    if (inputs.isEmpty()) {
      clocks.look(shard.sequencer().timeMs(), storage.clock().millis());
      if (lowSpace) {
        lookForSpace();
      }
      closeIfIdle();
    } else {
      commitOrFail(inputs);
    }
    return true;
  }

  /// Gives a frame's buffer back once it is indexed. Any thread.
  void recycle(FrameBuffer buffer) {
    pool.recycle(buffer);
  }

  /// Every sealed block is named by a frame behind it, so that a replay is checked to the end. An
  /// empty one shows that nobody else owns the shard.
  private void closeIfIdle() throws IOException {
    boolean unnamed = backlog.isDrained() && shard.indexer().hasUnguarded();
    if (unnamed || shard.lease().isDue()) {
      writeGuards();
    }
  }

  private void writeGuards() throws IOException {
    try {
      write(null, shard.sequencer().timeMs(), List.of());
    } catch (DiskFullException _) {
      // No room for a closing frame: the next one that fits will carry the guards.
    }
  }

  /// After any failure every input that was taken is answered; earlier frames are not affected.
  ///
  /// @param inputs those that are put back are removed
  private void commitOrFail(List<Input<AdmittedAppend>> inputs) throws IOException {
    try {
      commit(inputs);
    } catch (IOException | RuntimeException | Error e) {
      ShardStoppedException stopped =
          new ShardStoppedException("the write or force of a commit failed", e);
      inputs.forEach(input -> input.fail(stopped));
      throw e;
    }
  }

  private void commit(List<Input<AdmittedAppend>> inputs) throws IOException {
    List<Input<AdmittedAppend>> admitted = hasSpace() ? inputs : refuseForSpace(inputs);
    long clockMs = storage.clock().millis();
    List<Step.Refused<AdmittedAppend>> marked = new ArrayList<>();
    Step<AdmittedAppend> step = shard.sequencer().step(unmarked(admitted, marked), clockMs);
    step.refused().addAll(marked);
    clocks.look(shard.sequencer().timeMs(), clockMs);
    inputs.removeAll(step.stale());
    step.stale().forEach(readAgain);
    if (!step.writesFrame()) {
      showOwnership(step);
      step.noted().forEach(Input.Noting::complete);
      handOver(step);
      refuse(step);
      return;
    }
    try {
      // The clock's time counts once a request has agreed with it; a note does not.
      write(step, shard.sequencer().timeMs(), List.copyOf(step.blocks()));
      metrics.committed(step);
      room.isWritten();
    } catch (DiskFullException e) {
      undo(step, e);
    }
    refuse(step);
  }

  /// Takes the appends to ledgers that are read-only out.
  ///
  /// @param marked gets them
  /// @return the others, in their order
  private List<Input<AdmittedAppend>> unmarked(
      List<Input<AdmittedAppend>> inputs, List<Step.Refused<AdmittedAppend>> marked) {
    ReadOnlyMarks marks = shard.tables().readOnly();
    if (marks.isEmpty()) {
      return inputs;
    }
    List<Input<AdmittedAppend>> others = new ArrayList<>(inputs.size());
    for (Input<AdmittedAppend> input : inputs) {
      RequestRejectedException refusal =
          input instanceof AdmittedAppend append
              ? marks.refusal(append.submission().strand().ledger())
              : null;
      if (refusal == null) {
        others.add(input);
      } else {
        marked.add(new Step.Refused<>(input, refusal));
      }
    }
    return others;
  }

  /// What is answered because of what stands in the ledger needs a frame that was confirmed a short
  /// time ago: an owner that was fenced decides by what was.
  private void showOwnership(Step<AdmittedAppend> step) throws IOException {
    boolean answers = !step.refused().isEmpty() || !step.noted().isEmpty();
    if ((answers && !shard.lease().isHeld()) || shard.lease().isDue()) {
      writeGuards();
    }
  }

  private void refuse(Step<AdmittedAppend> step) {
    for (Step.Refused<AdmittedAppend> each : step.refused()) {
      each.input().refuse(shard.lease().isHeld() ? each.refusal() : OwnerLease.notHeld());
    }
  }

  private void handOver(Step<AdmittedAppend> step) {
    if (!step.isEmpty()) {
      backlog.put(new IndexTask(null, shard.writer().end(), shard.writer().end(), step));
    }
  }

  private void write(@Nullable Step<AdmittedAppend> step, long timeMs, List<BlockDraft> blocks)
      throws IOException {
    List<Guard> guards = shard.indexer().unguarded(GUARDS_PER_FRAME_MAX);
    FrameBuffer buffer = pool.take();
    StreamPosition at = shard.writer().end();
    frames.write(buffer, at.number(), timeMs, guards, blocks);
    List<Note> notes = step == null ? List.of() : step.notes().notes();
    NotesSection.write(notes, buffer.notes());
    long started = System.nanoTime();
    OwnerLease.Stamp sent = shard.lease().sending();
    PendingFrame pending = send(buffer);
    shard.lease().confirmed(sent, at.number());
    metrics.forced(buffer.frameBytes(), System.nanoTime() - started);
    shard.indexer().guarded(guards);
    shard.notes().committed(at.number(), notes); // before anybody is told of them
    if (step != null) {
      answerCommitted(step);
    }
    backlog.put(new IndexTask(buffer, pending.position(), shard.writer().end(), step));
  }

  /// Where others may own the stream, an error says nothing of the frame: they may have kept it, or
  /// closed the stream behind it. Only a new claim finds out.
  private PendingFrame send(FrameBuffer buffer) throws IOException {
    try {
      PendingFrame pending = shard.writer().append(buffer);
      pending.awaitDurable();
      return pending;
    } catch (StreamFencedException | StreamUnavailableException | DiskFullException e) {
      throw e;
    } catch (IOException e) {
      if (!storage.ownership().isShared()) {
        throw e;
      }
      throw new StreamUnavailableException("whether a frame is there is not known", e);
    }
  }

  private static void answerCommitted(Step<AdmittedAppend> step) {
    for (Step.Accepted<AdmittedAppend> accepted : step.accepted()) {
      accepted.input().committed(accepted.firstJsn(), step.timeMs(), accepted.delegated());
    }
    step.noted().forEach(Input.Noting::complete);
  }

  /// The frame was discarded: the step is undone, and its inputs are told so.
  private void undo(Step<AdmittedAppend> step, DiskFullException cause) {
    shard.sequencer().undo(step);
    lowSpace = true;
    room.isFull(String.valueOf(cause.getMessage()));
    freeSpaceCheckedAt = storage.clock().millis();
    RequestRejectedException refusal =
        new RequestRejectedException(
            RejectionCode.STORAGE_FULL, "no room to commit: " + cause.getMessage(), cause);
    inputsOf(step).forEach(input -> input.refuse(refusal));
  }

  static List<Input<AdmittedAppend>> inputsOf(Step<AdmittedAppend> step) {
    List<Input<AdmittedAppend>> inputs = new ArrayList<>();
    step.accepted().forEach(accepted -> inputs.add(accepted.input()));
    step.repeated().forEach(repeated -> inputs.add(repeated.input()));
    step.founded().forEach(founded -> inputs.add(founded.input()));
    inputs.addAll(step.noted());
    return inputs;
  }

  private boolean hasSpace() throws IOException {
    lookForSpace();
    return !lowSpace;
  }

  private void lookForSpace() throws IOException {
    long nowMs = storage.clock().millis();
    if (Math.abs(nowMs - freeSpaceCheckedAt) >= FREE_SPACE_CHECK_MILLIS) {
      freeSpaceCheckedAt = nowMs;
      long freeBytes = storage.disk().freeBytes();
      lowSpace = freeBytes < config.disk().freeBytesMin();
      room.isFree(freeBytes);
    }
  }

  private List<Input<AdmittedAppend>> refuseForSpace(List<Input<AdmittedAppend>> inputs)
      throws IOException {
    RequestRejectedException refusal =
        new RequestRejectedException(
                RejectionCode.STORAGE_FULL,
                String.format(
                    Locale.ROOT,
                    "%d bytes free, appends stop below %d",
                    storage.disk().freeBytes(),
                    config.disk().freeBytesMin()))
            .withLimit(config.disk().freeBytesMin());
    inputs.stream().filter(input -> !input.makesRoom()).forEach(input -> input.refuse(refusal));
    return inputs.stream().filter(Input::makesRoom).toList();
  }
}
