package io.tallystick.server.sim;

import io.tallystick.cbor.CborReader;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.cose.ReceiptProtected;
import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.note.Checkpoint;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// One run of one seed: clients talk to a shard over a network that loses, delays, doubles and
/// reorders, while its clock jumps and its disk crashes and rots. The shard is the real one; time,
/// threads, network, disk and keys are not. Every step is checked against a {@link Model}.
final class Simulation {
  static final Authority AUTHORITY = new Authority("localhost");
  private static final long START_MS = 1_790_000_000_000L;
  private static final long HOUR_MS = 3_600_000;
  private static final long LONG_DELAY = 1_000;
  private static final int ATTEMPTS_MAX = 6;
  private static final long AUDIT_MICROS = 200_000;
  private static final long ERASE_MICROS = 4_000;

  /// Longer than any purge can be recalled.
  private static final long RECALL_MS_MAX = 91L * 24 * HOUR_MS;

  private final SplittableRandom random;
  private final SimSettings settings;
  private final Agenda agenda = new Agenda();
  private final SimPairs pairs;
  private final Map<LedgerId, SimLedger> byId = new HashMap<>();
  private final List<SimLedger> ledgers = new ArrayList<>();
  private final Service service;
  private final Trials trials;
  private final SimNotes notes;
  private final RunStatistics statistics = new RunStatistics();
  private long clockOffsetMs;

  /// Of a key, while the shard signed: the shard takes it for a failure of its own.
  private @Nullable Violation signed;

  Simulation(long seed, Sabotage sabotage) {
    this.random = new SplittableRandom(seed);
    this.settings = SimSettings.draw(random.split());
    this.pairs =
        SimPairs.draw(
            AUTHORITY,
            random,
            (_, message) -> remember(() -> signingNote(message)),
            (key, message) -> remember(() -> signingByReceiptKey(key, message)));
    InstantSource clock = () -> Instant.ofEpochMilli(clockMs());
    Machine machine = new Machine(settings, random.split(), clock, pairs.shardSigner(), sabotage);
    Inspector inspector = new Inspector(statistics);
    Model model = new Model();
    NoteCheck noteCheck = new NoteCheck(machine, model.notes);
    Checkup checkup = new Checkup(inspector, model, noteCheck, random.split());
    this.service =
        new Service(
            machine,
            inspector,
            model,
            checkup,
            agenda,
            clock,
            statistics,
            random.split(),
            sabotage,
            this::send);
    this.trials =
        new Trials(
            service,
            machine,
            inspector,
            model,
            checkup,
            noteCheck,
            agenda,
            statistics,
            random.split());
    this.notes = new SimNotes(random.split(), model.notes);
    propose();
    plan();
  }

  private void plan() {
    for (int i = 0; i < settings.clients(); i++) {
      SimClient client = new SimClient(random.split(), settings.removes());
      agenda.in(random.nextLong(10_000), () -> act(client));
      if (i == 0) {
        every(settings.noteMicros(), () -> note(client));
      }
    }
    every(settings.crashMicros(), service::crash);
    every(settings.damageMicros(), trials::damage);
    every(settings.damageMicros(), trials::deceive);
    every(AUDIT_MICROS, () -> trials.audit(false));
    every(settings.clockMicros(), this::stepClock);
    every(settings.spaceMicros(), trials::cramp);
    every(30_000, service::savepoint);
    every(5_000, service::idle);
    if (settings.removes()) {
      every(ERASE_MICROS, service::erase);
    }
  }

  /// Lets an event happen again and again, at random times.
  private void every(long meanMicros, Agenda.Event event) {
    agenda.in(
        1 + random.nextLong(2 * meanMicros),
        () -> {
          every(meanMicros, event);
          return event.happen();
        });
  }

  /// Lets so many steps happen.
  ///
  /// @throws Violation if one shows the shard at fault
  RunStatistics run(long steps) {
    while (statistics.steps < steps) {
      if (agenda.next()) {
        statistics.steps++;
        statistics.trace(agenda.nowMicros());
      }
      rethrow();
    }
    service.settle();
    trials.audit(true);
    rethrow();
    clockOffsetMs += RECALL_MS_MAX;
    service.eraseAll();
    trials.audit(true);
    trials.auditLogs();
    rethrow();
    return statistics;
  }

  private void rethrow() {
    if (signed != null) {
      throw signed;
    }
  }

  RunStatistics statistics() {
    return statistics;
  }

  private long clockMs() {
    return START_MS + agenda.nowMicros() / 1_000 + clockOffsetMs;
  }

  /// The service's clock is set, by up to an hour either way.
  private boolean stepClock() {
    clockOffsetMs += random.nextLong(-HOUR_MS, HOUR_MS) >> random.nextInt(20);
    return true;
  }

  private SimLedger propose() {
    SimLedger ledger = new SimLedger(pairs, service.timeMs(), random);
    ledgers.add(ledger);
    byId.put(ledger.strand.ledger(), ledger);
    return ledger;
  }

  /// A client does something, and will again.
  private boolean act(SimClient client) {
    SplittableRandom own = client.random();
    agenda.in(1 + own.nextLong(4_000), () -> act(client));
    trials.finishSnapshots();
    int choice = own.nextInt(100);
    if (choice < 10) {
      return trials.read(ledgers.get(own.nextInt(ledgers.size())), own);
    }
    if (choice < 13) {
      found(client, own);
      return true;
    }
    if (settings.removes() && choice < 16) {
      return trials.prepare(ledgers.get(own.nextInt(ledgers.size())), own);
    }
    List<Sent> burst = client.burst(ledgers, service.timeMs());
    submit(client, burst.isEmpty() ? List.of(client.next(ledgers, service.timeMs())) : burst);
    return true;
  }

  /// Somebody looks at proposals and anchors, and changes some.
  private boolean note(SimClient client) {
    SimLedger ledger = ledgers.get(random.nextInt(ledgers.size()));
    if (!ledger.founded()) {
      return false;
    }
    trials.lookAtNotes(ledger);
    for (NoteAsk ask : notes.next(ledger, service.timeMs())) {
      send(() -> service.receive(Arrival.of(client, ask)));
    }
    return true;
  }

  private void found(SimClient client, SplittableRandom own) {
    SimLedger ledger = ledgers.get(own.nextInt(ledgers.size()));
    boolean stale =
        !ledger.founded() && Math.abs(ledger.params.createdMs() - service.timeMs()) > HOUR_MS / 60;
    if (stale) {
      ledgers.remove(ledger);
    }
    if (stale || ledgers.size() < settings.ledgersMax()) {
      ledger = propose();
    }
    SimLedger wanted = ledger;
    send(() -> service.receive(Arrival.of(client, wanted)));
  }

  /// In one message, and again what is not answered in time.
  private void submit(SimClient client, List<Sent> together) {
    together.forEach(sent -> sent.attempts++);
    send(() -> {
      together.forEach(sent -> service.receive(Arrival.of(client, sent)));
      return true;
    });
    agenda.in(
        20_000 + 10L * settings.delayMicrosMax(),
        () -> {
          List<Sent> again =
              together.stream()
                  .filter(sent -> !sent.answered && sent.attempts < ATTEMPTS_MAX)
                  .toList();
          if (!again.isEmpty()) {
            submit(client, again);
          }
          return !again.isEmpty();
        });
  }

  /// A message, either way: it may be lost, come late, come twice, come after later ones.
  private void send(Agenda.Event delivery) {
    if (random.nextInt(1_000) < settings.dropPermille()) {
      return;
    }
    agenda.in(delay(), delivery);
    if (random.nextInt(1_000) < settings.duplicatePermille()) {
      agenda.in(delay(), delivery);
    }
  }

  private long delay() {
    long usual = random.nextLong(settings.delayMicrosMax());
    return random.nextInt(50) == 0 ? usual * random.nextLong(LONG_DELAY) : usual;
  }

  private void remember(Runnable witness) {
    try {
      witness.run();
    } catch (Violation e) {
      signed = e;
      throw e;
    }
  }

  /// Whatever a receipt key signs is a head of the one history that this key has to sign, or a
  /// rotation.
  private void signingByReceiptKey(PublicKey key, byte[] message) {
    CborReader in = new CborReader(message);
    try {
      in.array("Sig_structure", 4);
      in.text();
      Bytes header = Bytes.wrap(in.bytes());
      in.bytes();
      Digest root = Digest.of(in.bytes());
      if (ProtectedHeader.typ(header).equals(ProtectedHeader.SERVICE_REQUEST_TYP)) {
        return; // judged by the leaf that commits to it
      }
      ReceiptProtected head = ProtectedHeader.decode(header, ReceiptProtected.class);
      SimLedger ledger = ledger(head.strand().ledger());
      Inspector.one(ledger, head.treeSize().value(), root);
      Violation.unless(
          ledger.serviceKeys.receiptKey(head.treeSize()).equals(key),
          "%s signs the head of size %s",
          key.kid(),
          head.treeSize());
    } catch (MalformedException | ProofRejectedException e) {
      throw new Violation("the receipt key signs what is no head", e);
    }
  }

  private void signingNote(byte[] message) {
    try {
      Checkpoint checkpoint = Checkpoint.parse(new String(message, StandardCharsets.UTF_8));
      SimLedger ledger =
          byId.values().stream()
              .filter(known -> known.params.origin(0).equals(checkpoint.origin()))
              .findFirst()
              .orElseThrow(() -> new Violation("a checkpoint of an unknown log"));
      Inspector.one(ledger, checkpoint.size().value(), checkpoint.root().digest());
    } catch (MalformedException e) {
      throw new Violation("the note key signs what is no checkpoint", e);
    }
  }

  private SimLedger ledger(LedgerId id) {
    return Objects.requireNonNull(byId.get(id), "a head of an unknown ledger is signed");
  }
}
