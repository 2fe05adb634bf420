package io.tallystick.server.sim;

import io.tallystick.server.shard.Shard;
import io.tallystick.server.shard.ShardRemovals;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The shard on its machine, up or down, and what every turn of it must have done.
final class Service {
  private static final long TURN_MICROS = 400;
  private static final long WAITING_MICROS = 3_000;
  private static final long DOWN_MICROS = 3_000;
  private static final long OPERATOR_MICROS = 20_000;
  private static final int IDLE_TURNS = 4;

  private final Machine machine;
  private final Agenda agenda;
  private final InstantSource clock;
  private final RunStatistics statistics;
  private final SplittableRandom random;
  private final Sabotage sabotage;
  private final Model model;
  private final Judge judge;
  private final Checkup checkup;
  private final Erasures erasures;

  /// In the order in which the shard got them.
  private final Deque<Arrival> waiting = new ArrayDeque<>();

  private final Inbox inbox;
  private final Replies replies;
  private final FailurePolicy policy;
  private @Nullable Shard shard;
  private boolean closing;
  private boolean commitPlanned;
  private boolean indexPlanned;
  private boolean waitPlanned;

  /// The frame that may or may not be on the disk, because its turn failed.
  private Model.@Nullable Draft unknown;

  Service(
      Machine machine,
      Inspector inspector,
      Model model,
      Checkup checkup,
      Agenda agenda,
      InstantSource clock,
      RunStatistics statistics,
      SplittableRandom random,
      Sabotage sabotage,
      Replies.Network network) {
    this.machine = machine;
    this.model = model;
    this.checkup = checkup;
    this.agenda = agenda;
    this.clock = clock;
    this.statistics = statistics;
    this.random = random;
    this.sabotage = sabotage;
    this.inbox = new Inbox(statistics);
    this.erasures = new Erasures(machine, model, clock, statistics, random.split());
    this.judge = new Judge(machine, inspector, model, statistics);
    this.replies = new Replies(inbox, judge, network);
    this.policy = new FailurePolicy(machine);
    agenda.in(0, this::start);
  }

  /// The shard, if it is up.
  @Nullable Shard shard() {
    return shard;
  }

  /// The shard, if it is up and answers reads.
  @Nullable Shard readable() {
    return shard != null && shard.isReadable() ? shard : null;
  }

  /// Whether every frame that may be on the disk is known to be there.
  boolean knowsAllFrames() {
    return unknown == null;
  }

  long timeMs() {
    return Math.max(clock.millis(), model.timeMs);
  }

  // What comes in.

  /// A message reached the service's machine.
  boolean receive(Arrival message) {
    Shard up = shard;
    if (up == null) {
      return true; // the machine is down
    }
    Arrival arrival = message.delivered();
    statistics.submissions++;
    long admitted = up.admittedBytes();
    inbox.hand(arrival, up, sabotage);
    judge.admitted(arrival, up, admitted);
    if (arrival.failure == null) {
      waiting.add(arrival);
      planCommit();
    } else {
      replies.judge();
      if (arrival.failure.getCause() instanceof IOException e) {
        readFailed(e);
      }
    }
    return true;
  }

  private void planCommit() {
    if (!commitPlanned) {
      commitPlanned = true;
      agenda.in(1 + random.nextLong(TURN_MICROS), this::commitTurn);
    }
  }

  private void planIndex() {
    if (!indexPlanned) {
      indexPlanned = true;
      long slow = random.nextInt(20) == 0 ? 20 : 1;
      agenda.in(1 + random.nextLong(slow * TURN_MICROS), this::indexTurn);
    }
  }

  // Turns of the shard.

  private boolean commitTurn() {
    commitPlanned = false;
    return shard != null && !waiting.isEmpty() && turn(shard);
  }

  /// A turn of the commit thread when nothing has come: it closes what is idle.
  boolean idle() {
    return shard != null && waiting.isEmpty() && turn(shard);
  }

  /// What the commit thread does next.
  private boolean turn(Shard up) {
    if (up.phase() != Shard.Phase.SERVING) {
      return wait(up);
    }
    if (!machine.hasRoom(up)) {
      return false; // planned again by the index turn that makes room
    }
    int before = up.queued();
    long putBack = up.putBack();
    boolean more = up.commitTurn(0);
    int back = (int) (up.putBack() - putBack);
    List<Arrival> taken = taken(before - up.queued() + back);
    long timeMs = model.timeMs;
    Model.Draft draft = taken.isEmpty() ? new Model.Draft() : model.draft(clock.millis());
    taken.forEach(arrival -> decide(arrival, draft, more ? up : null));
    waiting.addAll(PutBack.of(up, taken, back, statistics));
    if (more) {
      judge.turned(up, taken, draft);
      judge.time(up, taken, timeMs);
      erasures.kept();
      replies.judge();
    } else {
      unknown = draft;
      endIndexing(up);
    }
    planTurns();
    return true;
  }

  /// @param told the shard, if it has told what its turn came to
  private void decide(Arrival arrival, Model.Draft draft, @Nullable Shard told) {
    if (!arrival.isShards()) {
      arrival.verdict = model.decide(arrival, draft);
    } else if (told != null) {
      erasures.noted(told, draft);
    } else {
      draft.mayNoteErasure = true;
    }
  }

  private List<Arrival> taken(int count) {
    return new ArrayList<>(Stream.generate(waiting::remove).limit(count).toList());
  }

  private void planTurns() {
    if (shard != null) {
      if (shard.unsealedFrames() > 0) {
        planIndex();
      }
      if (!waiting.isEmpty()) {
        planCommit();
      }
    }
  }

  private boolean indexTurn() {
    indexPlanned = false;
    Shard up = shard;
    if (up == null || up.phase() != Shard.Phase.SERVING || up.unsealedFrames() == 0) {
      return false;
    }
    if (up.indexTurn(0)) {
      replies.judge();
      checkHeads(up);
    } else {
      endCommits(up);
    }
    planTurns();
    return true;
  }

  private void checkHeads(Shard up) {
    try {
      checkup.heads(up);
      erasures.saved();
      replies.nothingForgotten(up, waiting);
    } catch (IOException e) {
      readFailed(e);
    } catch (CorruptStreamException e) {
      throw new Violation("undamaged, but called corrupt", e);
    }
  }

  boolean savepoint() {
    Shard up = shard;
    if (up == null || up.phase() != Shard.Phase.SERVING) {
      return false;
    }
    if (up.savepoint()) {
      statistics.savepoints++;
    } else {
      endCommits(up);
    }
    return true;
  }

  /// A read may be what opens an index first, and so meet the crash that was due.
  void readFailed(IOException e) {
    if (machine.crashed()) {
      stop();
    } else if (!machine.troubled()) {
      throw new Violation("a read failed without a reason", e);
    }
  }

  /// The shard may have asked for a note of its own, behind so many inputs.
  void mayHaveNoted(Shard up, int queued) {
    if (up.queued() > queued) {
      waiting.add(Arrival.ofShard());
      planCommit();
    }
  }

  /// A turn of the erasing thread, which goes on whatever the other two do.
  boolean erase() {
    Shard up = shard;
    if (up == null) {
      return false;
    }
    int queued = up.queued();
    ShardRemovals.Left left = erasures.turn(up, waiting.stream().anyMatch(Arrival::isShards));
    boolean notes = up.queued() > queued;
    if (machine.crashed()) {
      stop();
    } else {
      mayHaveNoted(up, queued);
    }
    return notes || left == ShardRemovals.Left.MORE || left == ShardRemovals.Left.FAILED;
  }

  // Failures and starts.

  /// The index loop has failed: the commit loop finds that out.
  private void endCommits(Shard up) {
    unknown = closing ? new Model.Draft() : null; // perhaps a closing frame
    int before = up.queued();
    Violation.unless(
        !up.commitTurn(0) && up.queued() == before, "it commits after its index loop has failed");
    endServing(up);
  }

  /// The commit loop has had its last turn: the index loop comes to its end.
  private void endIndexing(Shard up) {
    boolean more = true;
    while (more) {
      more = up.indexTurn(0);
    }
    endServing(up);
  }

  /// Both loops have ended: the shard does what it must.
  private void endServing(Shard up) {
    int faults = machine.faults();
    Throwable cause = up.endServing();
    replies.judge();
    replies.nothingForgotten(waiting);
    if (cause == null) {
      judge.frames(up, 0, 1);
      model.frames = up.durableEnd().number();
      unknown = null;
    } else {
      failed(up, cause, machine.faults() - faults);
    }
  }

  private void failed(Shard up, Throwable cause, int faults) {
    policy.hasReason(cause);
    if (machine.crashed()) {
      stop();
      return;
    }
    policy.ended(up, cause, faults);
    goOn(up);
  }

  /// After a failure, in the phase that the shard chose.
  private void goOn(Shard up) {
    switch (up.phase()) {
      case SERVING -> {
        statistics.reopens++;
        reopened(up);
      }
      case NO_ROOM -> {
        statistics.shortages++;
        planWait();
      }
      case READ_ONLY -> {
        statistics.readOnly++; // until an operator restarts it
        agenda.in(1 + random.nextLong(OPERATOR_MICROS), () -> shard == up && stop());
      }
      case ENDED, UNCLAIMED -> {} // it was closing; the policy has refused the other
    }
  }

  private void planWait() {
    if (!waitPlanned) {
      waitPlanned = true;
      agenda.in(1 + random.nextLong(WAITING_MICROS), this::waitTurn);
    }
  }

  private boolean waitTurn() {
    waitPlanned = false;
    return shard != null && wait(shard);
  }

  private void reopened(Shard up) {
    try {
      recovered(up);
    } catch (IOException e) {
      stop();
    } catch (CorruptStreamException e) {
      throw new Violation("the shard calls undamaged files corrupt", e);
    }
  }

  /// A turn of a shard that takes no appends.
  private boolean wait(Shard up) {
    Shard.Phase before = up.phase();
    if (before != Shard.Phase.NO_ROOM && before != Shard.Phase.READ_ONLY) {
      return false;
    }
    int queued = up.queued();
    int faults = machine.faults();
    up.waitingTurn(0);
    List<Arrival> taken = taken(queued - up.queued());
    taken.forEach(arrival -> arrival.verdict = Verdict.refusedIn(before));
    replies.judge();
    replies.nothingForgotten(waiting);
    if (machine.crashed()) {
      stop();
    } else if (up.phase() != Shard.Phase.ENDED) {
      policy.waited(up, before, machine.faults() - faults);
      if (before == Shard.Phase.NO_ROOM) {
        goOn(up);
      }
    }
    return true;
  }

  /// The process is gone, and with it everything that it had not answered.
  private boolean stop() {
    shard = null;
    closing = false;
    waiting.clear();
    inbox.forget();
    if (machine.crashed() || random.nextBoolean()) {
      machine.cutPower();
      statistics.powerCuts++;
    } else {
      statistics.kills++;
    }
    agenda.in(1 + random.nextLong(DOWN_MICROS), this::start);
    return true;
  }

  /// The process dies, with the machine or alone; sometimes it is stopped in good order.
  boolean crash() {
    Shard up = shard;
    if (up != null && random.nextInt(4) == 0) {
      closeInOrder(up);
    } else if (up != null) {
      stop();
    }
    return up != null;
  }

  private void closeInOrder(Shard up) {
    closing = true;
    up.closeIntake();
    while (shard == up && up.phase() != Shard.Phase.ENDED) {
      while (shard == up && up.phase() == Shard.Phase.SERVING && !machine.hasRoom(up)) {
        indexTurn();
      }
      if (shard == up) {
        turn(up);
      }
    }
    if (shard == up) {
      machine.close(up);
      stop();
    }
  }

  private boolean start() {
    if (shard != null) {
      return false;
    }
    statistics.starts++;
    try {
      Shard up = machine.start();
      policy.started();
      shard = up;
      recovered(up);
    } catch (IOException e) {
      Violation.unless(machine.troubled(), "the shard does not open: %s", e);
      if (machine.cramped()) {
        machine.relieve();
      }
      stop();
    } catch (CorruptStreamException | RuntimeException e) {
      throw new Violation("the shard does not open, on undamaged files", e);
    }
    return true;
  }

  /// What must be there after any start: all that is durable, and perhaps the one frame whose turn
  /// failed, whole.
  private void recovered(Shard up) throws IOException, CorruptStreamException {
    judge.frames(up, 0, unknown == null ? 0 : 1);
    if (unknown != null && up.durableEnd().number() > model.frames) {
      erasures.survived(up, unknown);
    }
    unknown = null;
    model.opened();
    erasures.opened();
    judge.timeAfterStart(up);
    checkup.afterStart(up);
    if (!waiting.isEmpty()) {
      planCommit();
    }
  }

  /// The end of a run: whatever state it is in, a start must bring back everything.
  void settle() {
    shard = null;
    machine.cutPower();
    for (int i = 0; i < 20 && shard == null; i++) {
      start();
    }
  }

  /// On a machine that fails no more, all that can be erased is; index turns save and drop for it.
  ///
  /// @throws Violation unless every removal is carried out
  void eraseAll() {
    shard = null;
    waiting.clear();
    inbox.forget();
    machine.calm();
    machine.cutPower();
    start();
    Shard up = Objects.requireNonNull(shard);
    for (int idle = 0; idle < IDLE_TURNS; idle = erase() ? 0 : idle + 1) {
      boolean _ = waiting.isEmpty() || turn(up);
      boolean _ = up.indexTurn(0);
    }
    erasures.finished();
  }
}
