package io.tallystick.server.sim;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.shard.SteppedShard;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// The side of the service: the shard on its machine, up or down, and what every turn of it must
/// have done.
final class Service {
  private static final long TURN_MICROS = 400;
  private static final long DOWN_MICROS = 3_000;
  private static final long SHORTAGE_MICROS = 20_000;
  private static final long OFTEN_DAMAGED_FRAMES = 100;

  /// Carries an answer to its client.
  @FunctionalInterface
  interface Network {
    void send(Agenda.Event delivery);
  }

  private final Machine machine;
  private final Inspector inspector;
  private final Agenda agenda;
  private final InstantSource clock;
  private final Tally tally;
  private final SplittableRandom random;
  private final Sabotage sabotage;
  private final Network network;
  private final Model model = new Model();
  private final Judge judge;
  private final Checkup checkup;

  /// In the order in which the shard got them.
  private final Deque<Arrival> waiting = new ArrayDeque<>();

  private final Inbox inbox;

  private @Nullable SteppedShard shard;
  private boolean reopened;
  private boolean commitPlanned;
  private boolean indexPlanned;

  /// The frame that may or may not be on the disk, because its turn failed.
  private Model.@Nullable Draft unknown;

  Service(
      Machine machine,
      Inspector inspector,
      Agenda agenda,
      InstantSource clock,
      Tally tally,
      SplittableRandom random,
      Sabotage sabotage,
      Network network) {
    this.machine = machine;
    this.inspector = inspector;
    this.agenda = agenda;
    this.clock = clock;
    this.tally = tally;
    this.random = random;
    this.sabotage = sabotage;
    this.network = network;
    this.inbox = new Inbox(tally);
    this.judge = new Judge(machine, inspector, model, tally);
    this.checkup = new Checkup(inspector, model, random.split());
  }

  void begin() {
    agenda.in(0, this::start);
  }

  long timeMs() {
    return Math.max(clock.millis(), model.timeMs);
  }

  // What comes in.

  /// A message reached the service's machine.
  boolean receive(Arrival message) {
    SteppedShard up = shard;
    if (up == null) {
      return true; // nobody listens
    }
    Arrival arrival = new Arrival(message.from, message.sent, message.founding);
    waiting.add(arrival);
    tally.submissions++;
    if (arrival.sent != null) {
      up.submit(
          sabotage.submission(arrival.sent.verified, arrival.sent.attempts), inbox.waiter(arrival));
    } else {
      inbox.founding(arrival, up.found(Objects.requireNonNull(arrival.founding).founding));
    }
    planCommit();
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
    return shard != null && !waiting.isEmpty() && commit(shard);
  }

  /// A turn of the commit thread when nothing has come: it closes what is idle.
  boolean idle() {
    return shard != null && waiting.isEmpty() && commit(shard);
  }

  private boolean commit(SteppedShard up) {
    if (!up.hasRoom()) {
      return false; // planned again by the index turn that makes room
    }
    int before = up.waiting();
    Exception failure = null;
    try {
      up.commit();
    } catch (IOException | RuntimeException e) {
      failure = e;
    }
    List<Arrival> taken = new ArrayList<>();
    for (int i = before - up.waiting(); i > 0; i--) {
      taken.add(waiting.remove());
    }
    long timeMs = model.timeMs;
    Model.Draft draft = taken.isEmpty() ? new Model.Draft() : model.draft(clock.millis());
    taken.forEach(arrival -> arrival.verdict = model.decide(arrival, draft));
    if (failure == null) {
      committed(up, taken, draft);
      judge.time(up, taken, timeMs);
      judgeAnswers();
    } else {
      unknown = draft;
      judgeAnswers();
      fail(failure, false);
    }
    if (shard != null) {
      planIndex();
      if (!waiting.isEmpty()) {
        planCommit();
      }
    }
    return true;
  }

  private void committed(SteppedShard up, List<Arrival> taken, Model.Draft draft) {
    if (Judge.undone(taken)) {
      tally.undone++;
      for (Arrival arrival : taken) {
        if (!(arrival.verdict instanceof Verdict.Refused)) {
          arrival.verdict = new Verdict.Undone();
        }
      }
      judge.frames(up, 0, 0);
      return;
    }
    for (Arrival arrival : taken) {
      if (arrival.verdict instanceof Verdict.Accepted accepted) {
        judge.committed(arrival, accepted);
      }
    }
    if (draft.isEmpty()) {
      judge.frames(up, 0, 1); // perhaps a closing frame
      model.frames = up.end().number();
    } else {
      judge.frames(up, 1, 1);
      machine.tookAppends();
      model.keep(draft);
    }
    tally.frames = model.frames;
  }

  private boolean indexTurn() {
    indexPlanned = false;
    SteppedShard up = shard;
    if (up == null || up.unindexed() == 0) {
      return false;
    }
    try {
      up.index();
      judgeAnswers();
      checkup.heads(up);
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      judgeAnswers();
      fail(e, true);
    }
    if (shard != null && shard.unindexed() > 0) {
      planIndex();
    }
    if (shard != null && !waiting.isEmpty()) {
      planCommit();
    }
    return true;
  }

  boolean savepoint() {
    SteppedShard up = shard;
    if (up == null) {
      return false;
    }
    try {
      up.savepoint();
      tally.savepoints++;
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      fail(e, true);
    }
    return true;
  }

  // Answers.

  private void judgeAnswers() {
    for (Arrival arrival : inbox.take()) {
      judge.answered(arrival);
      network.send(() -> deliver(arrival));
    }
  }

  private boolean deliver(Arrival arrival) {
    if (arrival.sent != null && arrival.receipted != null) {
      arrival.from.told(arrival.sent, arrival.receipted.committed().firstJsn());
    } else if (arrival.sent != null
        && arrival.failure instanceof RequestRejectedException refusal
        && !refusal.code().retryable()) {
      arrival.sent.answered = true;
    }
    return true;
  }

  /// Somebody asks for evidence.
  boolean read(SimLedger ledger, SplittableRandom of) {
    SteppedShard up = shard;
    if (up == null || !ledger.founded()) {
      return false;
    }
    try {
      long size = up.indexer().strand(ledger.strand).head().size();
      if (size == 0) {
        return false;
      }
      Inspector.strictly(() -> {
        inspector.journal(up, ledger, of.nextLong(size));
        inspector.prove(up, ledger, size, of);
      });
    } catch (IOException e) {
      readFailed(e);
    } catch (CorruptStreamException e) {
      throw new Violation("undamaged, but called corrupt", e);
    }
    return true;
  }

  /// A read may be what opens an index first, and so meet the crash that was due.
  private void readFailed(IOException e) {
    if (machine.crashed()) {
      stop();
    } else if (!machine.troubled()) {
      throw new Violation("a read failed without a reason", e);
    }
  }

  // Failures and starts.

  /// As the shard's own threads do: one that failed on its disk reopens itself once, then it waits
  /// for an operator; after a full disk it reopens as soon as there is room.
  private void fail(Exception failure, boolean indexing) {
    SteppedShard up = Objects.requireNonNull(shard);
    if (machine.crashed()) {
      stop();
      return;
    }
    if (!machine.troubled() || failure instanceof CorruptStreamException) {
      throw new Violation("the shard failed without a reason", failure);
    }
    Exception indexFailure = up.end(indexing, failure);
    judgeAnswers();
    Exception cause = indexFailure == null ? failure : indexFailure;
    boolean full = machine.makesRoom(cause);
    if (machine.crashed() || (reopened && !full) || !(cause instanceof IOException)) {
      stop();
      return;
    }
    try {
      up.reopen();
      reopened |= !full;
      tally.reopens++;
      recovered(up);
    } catch (IOException e) {
      stop();
    } catch (CorruptStreamException e) {
      throw new Violation("the shard calls undamaged files corrupt", e);
    }
  }

  /// The process is gone, and with it whoever waited.
  private void stop() {
    shard = null;
    reopened = false;
    waiting.clear();
    inbox.take();
    if (machine.crashed() || random.nextBoolean()) {
      machine.cutPower();
      tally.powerCuts++;
    } else {
      tally.kills++;
    }
    agenda.in(1 + random.nextLong(DOWN_MICROS), this::start);
  }

  /// The process dies, with the machine or alone; sometimes it is stopped in good order.
  boolean crash() {
    SteppedShard up = shard;
    if (up == null) {
      return false;
    }
    if (random.nextInt(4) == 0) {
      closeInOrder(up);
    } else {
      stop();
    }
    return true;
  }

  private void closeInOrder(SteppedShard up) {
    while (shard == up && !waiting.isEmpty()) {
      while (shard == up && up.unindexed() > 0) {
        indexTurn();
      }
      if (shard == up && !waiting.isEmpty()) {
        commit(up);
      }
    }
    if (shard != up) {
      return;
    }
    try {
      up.close();
      judgeAnswers();
      judge.frames(up, 0, 1);
      model.frames = up.end().number();
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      judgeAnswers();
      if (!machine.troubled()) {
        throw new Violation("closing failed without a reason", e);
      }
      unknown = new Model.Draft();
    }
    stop();
  }

  private boolean start() {
    if (shard != null) {
      return false;
    }
    tally.starts++;
    try {
      SteppedShard up = machine.start();
      shard = up;
      recovered(up);
    } catch (IOException e) {
      Violation.unless(machine.troubled(), "the shard does not open: %s", e);
      shard = null;
      if (machine.cramped()) {
        machine.relieve();
      }
      stop();
    } catch (CorruptStreamException e) {
      throw new Violation("the shard calls undamaged files corrupt", e);
    } catch (RuntimeException e) {
      throw new Violation("the shard does not open", e);
    }
    return true;
  }

  /// What must be there after any start: all that is durable, and perhaps the one frame whose turn
  /// failed, whole.
  private void recovered(SteppedShard up) throws IOException, CorruptStreamException {
    judge.frames(up, 0, unknown == null ? 0 : 1);
    if (unknown != null && up.end().number() > model.frames) {
      tally.survivors++;
      model.keep(unknown);
    }
    unknown = null;
    long timeMs = up.sequencer().timeMs();
    Violation.unless(
        model.durableTimeMs <= timeMs && timeMs <= model.timeMs,
        "time is %s after a start, was %s",
        timeMs,
        model.timeMs);
    model.timeMs = timeMs;
    checkup.afterStart(up);
    if (!waiting.isEmpty()) {
      planCommit();
    }
  }

  // Trials.

  /// Little room is left for a while. The machine may have crashed in the background already, while
  /// room was made ahead, and nobody have noticed yet.
  boolean cramp() {
    if (shard == null || machine.cramped() || machine.crashed()) {
      return false;
    }
    try {
      machine.cramp(SimSettings.FREE_BYTES_MIN / 2 + random.nextLong(SimSettings.FREE_BYTES_MIN));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    agenda.in(
        random.nextLong(SHORTAGE_MICROS),
        () -> {
          machine.relieve();
          return true;
        });
    return true;
  }

  /// A copy of what is stored is damaged and opened; the original goes on. A trial costs what the
  /// history is long, so the longer it is the rarer they are.
  boolean damage() {
    if (shard == null
        || random.nextLong(model.frames + OFTEN_DAMAGED_FRAMES) >= OFTEN_DAMAGED_FRAMES) {
      return false;
    }
    boolean killed = random.nextBoolean();
    InMemoryDisk disk = killed ? machine.disk().afterKill() : machine.disk().afterCrash();
    InMemoryMetaStore meta = machine.meta().afterCrash();
    tally.damages++;
    DamageTrial trial = new DamageTrial(machine, inspector, model, random.split());
    trial.run(disk, meta, tally);
    return true;
  }

  /// What is sealed is read and compared.
  boolean audit(boolean whole) {
    SteppedShard up = shard;
    if (up == null) {
      return false;
    }
    try {
      checkup.audit(up, whole);
      tally.audits++;
    } catch (IOException e) {
      readFailed(e);
    } catch (CorruptStreamException e) {
      throw new Violation("undamaged, but called corrupt", e);
    }
    return true;
  }

  /// The end of a run: whatever state it is in, a start must bring back everything.
  void settle() {
    shard = null;
    machine.cutPower();
    for (int i = 0; i < 20 && shard == null; i++) {
      start();
    }
    audit(true);
  }
}
