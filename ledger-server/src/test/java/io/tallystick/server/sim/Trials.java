package io.tallystick.server.sim;

import io.tallystick.server.shard.Shard;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/// What the shard is put to beside its appends: reads, audits, little room, and damage to a copy of
/// what it stores.
final class Trials {
  private static final long SHORTAGE_MICROS = 20_000;
  private static final long OFTEN_DAMAGED_FRAMES = 100;

  private final Service service;
  private final Machine machine;
  private final Inspector inspector;
  private final Model model;
  private final Checkup checkup;
  private final NoteCheck notes;
  private final Agenda agenda;
  private final RunStatistics statistics;
  private final SplittableRandom random;
  private final Snapshots snapshots;

  Trials(
      Service service,
      Machine machine,
      Inspector inspector,
      Model model,
      Checkup checkup,
      NoteCheck notes,
      Agenda agenda,
      RunStatistics statistics,
      SplittableRandom random) {
    this.service = service;
    this.machine = machine;
    this.inspector = inspector;
    this.model = model;
    this.checkup = checkup;
    this.notes = notes;
    this.agenda = agenda;
    this.statistics = statistics;
    this.random = random;
    this.snapshots = new Snapshots(machine, statistics);
  }

  /// A client asks for evidence.
  boolean read(SimLedger ledger, SplittableRandom of) {
    Shard up = service.readable();
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
      service.readFailed(e);
    } catch (CorruptStreamException e) {
      throw new Violation("undamaged, but called corrupt", e);
    }
    return true;
  }

  /// What is told of a ledger's proposals and anchors.
  void lookAtNotes(SimLedger ledger) {
    Shard up = service.readable();
    if (up == null) {
      return;
    }
    try {
      notes.told(up, ledger, random);
    } catch (IOException e) {
      service.readFailed(e);
    }
  }

  /// Whoever asked for snapshots looks what became of them.
  void finishSnapshots() {
    Shard up = service.readable();
    if (up == null) {
      return;
    }
    try {
      snapshots.finish(up);
    } catch (IOException e) {
      service.readFailed(e);
    } catch (CorruptStreamException e) {
      throw new Violation("undamaged, but called corrupt", e);
    }
  }

  /// Somebody asks for a snapshot to purge by.
  boolean prepare(SimLedger ledger, SplittableRandom of) {
    Shard up = service.readable();
    if (up == null || !ledger.founded()) {
      return false;
    }
    try {
      int queued = up.queued();
      boolean begun = snapshots.prepare(up, ledger, service.timeMs(), of);
      service.mayHaveNoted(up, queued);
      return begun;
    } catch (IOException e) {
      service.readFailed(e);
    } catch (CorruptStreamException e) {
      throw new Violation("undamaged, but called corrupt", e);
    }
    return true;
  }

  /// Little room is left for a while. The machine may have crashed in the background already, while
  /// room was made ahead, and no call have met the crash yet.
  boolean cramp() {
    if (service.shard() == null || machine.cramped() || machine.crashed()) {
      return false;
    }
    try {
      // So little that appends stop, or so little that an index does not find room to save.
      machine.cramp(
          random.nextBoolean()
              ? random.nextLong(1_000)
              : SimSettings.FREE_BYTES_MIN / 2 + random.nextLong(SimSettings.FREE_BYTES_MIN));
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
    if (service.shard() == null
        || !service.knowsAllFrames()
        || random.nextLong(model.frames + OFTEN_DAMAGED_FRAMES) >= OFTEN_DAMAGED_FRAMES) {
      return false;
    }
    boolean killed = random.nextBoolean();
    InMemoryDisk disk = killed ? machine.disk().afterKill() : machine.disk().afterCrash();
    InMemoryMetaStore meta = machine.meta().afterCrash();
    statistics.damages++;
    DamageTrial trial = new DamageTrial(machine, inspector, model, random.split());
    trial.run(disk, meta, statistics);
    return true;
  }

  /// A copy is opened over a stream that loses a frame, or has one twice: it must be refused.
  boolean deceive() {
    if (service.shard() == null || !service.knowsAllFrames()) {
      return false;
    }
    int at = 1 + random.nextInt(4);
    boolean lost = random.nextBoolean();
    AtomicBoolean deceived = new AtomicBoolean();
    InMemoryDisk disk = machine.disk().afterKill();
    InMemoryMetaStore meta = machine.meta().afterCrash();
    try {
      var _ =
          machine.start(
              disk,
              meta,
              streams ->
                  lost
                      ? LossyStreams.skipping(streams, at, deceived)
                      : LossyStreams.doubling(streams, at, deceived));
      Violation.unless(!deceived.get(), "frame %s of a replay %s", at, lost ? "is lost" : "twice");
    } catch (CorruptStreamException e) {
      if (!deceived.get()) {
        throw new Violation("undamaged, but called corrupt", e);
      }
      statistics.deceptions++;
    } catch (IOException e) {
      throw new AssertionError("a copy in memory does not fail", e);
    }
    return true;
  }

  /// What is sealed is read and compared.
  boolean audit(boolean whole) {
    Shard up = service.readable();
    if (up == null) {
      return false;
    }
    try {
      checkup.audit(up, whole);
      statistics.audits++;
    } catch (IOException e) {
      service.readFailed(e);
    } catch (CorruptStreamException e) {
      throw new Violation("undamaged, but called corrupt", e);
    }
    return true;
  }

  /// The auditor reads all logs to their end.
  void auditLogs() {
    Shard up = Objects.requireNonNull(service.readable(), "a machine without faults, and no shard");
    try {
      for (SimLedger ledger : model.ledgers()) {
        AuditedLog.audit(up, machine.disk(), ledger);
        statistics.logAudits++;
      }
    } catch (IOException e) {
      throw new Violation("a read failed without a reason", e);
    }
  }
}
