package io.tallystick.server.sim;

import io.tallystick.server.shard.Shard;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;

/// Opens a shard on damaged storage. It may refuse. If it opens, whatever it answers is right, and
/// nothing is missing but the newest frames, if they were themselves hit: a damaged last frame
/// cannot be told from one that a crash has torn.
final class DamageTrial {
  private final Machine machine;
  private final Inspector inspector;
  private final Model model;
  private final SplittableRandom random;

  DamageTrial(Machine machine, Inspector inspector, Model model, SplittableRandom random) {
    this.machine = machine;
    this.inspector = inspector;
    this.model = model;
    this.random = random;
  }

  /// @param disk a copy, sound so far
  void run(InMemoryDisk disk, InMemoryMetaStore meta, RunStatistics statistics) {
    try {
      InMemoryDisk sound = disk.copy();
      Damage damage = Damage.inflict(disk, meta, random);
      try {
        judge(damage, sound, statistics);
      } catch (Violation e) {
        throw new Violation("after " + damage + ": " + e.getMessage(), e);
      }
    } catch (IOException e) {
      throw new AssertionError("a copy in memory does not fail", e);
    }
  }

  private void judge(Damage damage, InMemoryDisk sound, RunStatistics statistics)
      throws IOException {
    Shard shard;
    try {
      shard = machine.start(damage.disk, damage.meta);
    } catch (IOException | CorruptStreamException _) {
      statistics.refusedToOpen++;
      return;
    } catch (RuntimeException e) {
      throw new Violation("damage was not recognised as such", e);
    }
    long end = shard.durableEnd().number();
    Violation.unless(end <= model.frames, "frame %s was never written", end - 1);
    if (end < model.frames) {
      lost(damage, end, Damage.frames(sound), statistics);
    }
    Inspector.warily(() -> new NoteCheck(machine, model.notes).damaged(shard, end));
    for (SimLedger ledger : model.ledgers()) {
      long size = ledger.history.sizeBefore(end);
      if (size > 0) {
        Inspector.warily(() -> {
          long is = shard.indexer().strand(ledger.strand).head().size();
          Violation.unless(is == size, "%s has %s leaves, want %s", ledger.strand, is, size);
        });
        inspector.everythingWarily(shard, ledger, size, random);
      }
    }
  }

  private static void lost(
      Damage damage, long end, List<Damage.Frame> frames, RunStatistics statistics) {
    for (Damage.Frame frame : frames) {
      if (frame.number() >= end) {
        Violation.unless(
            damage.hits(frame), "frame %s is lost, and was not damaged", frame.number());
        statistics.framesLostToDamage++;
      }
    }
  }
}
