package io.tallystick.server.sim;

import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.server.note.NoteRows;
import io.tallystick.server.saved.PendingErasureRow;
import io.tallystick.server.saved.SavedWorld;
import io.tallystick.server.saved.StrandRow;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.shard.ShardRemovals;
import io.tallystick.server.sim.RemovedJournals.Purged;
import io.tallystick.server.world.RemovalRows;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/// What the erasing has come to: that it goes on by notes, that it is never taken back, and that it
/// ends with nothing left.
final class Erasures {
  private static final int SEARCH_ONE_IN = 4;
  private static final int CRASH_ONE_IN = 8;
  private static final List<Bytes> TABLES = List.of(PendingErasureRow.NOTED, RemovalRows.DONE);

  private final Machine machine;
  private final Model model;
  private final InstantSource clock;
  private final RunStatistics statistics;
  private final SplittableRandom random;

  /// Whether the last note was not let in, or changed nothing.
  private boolean refused;

  Erasures(
      Machine machine,
      Model model,
      InstantSource clock,
      RunStatistics statistics,
      SplittableRandom random) {
    this.machine = machine;
    this.model = model;
    this.clock = clock;
    this.statistics = statistics;
    this.random = random;
  }

  /// A turn of the erasing, in which the power goes now and then.
  ///
  /// @param waits whether a note of it is in the queue
  ShardRemovals.Left turn(Shard up, boolean waits) {
    if (isAtWork() && random.nextInt(CRASH_ONE_IN) == 0) {
      machine.crashSoon();
    }
    int queued = up.queued();
    ShardRemovals.Left left = up.erasureTurn();
    if (!machine.crashed()) {
      boolean serving = up.phase() == Shard.Phase.SERVING;
      Violation.unless(
          left != ShardRemovals.Left.FAILED || machine.troubled() || refused || !serving,
          "erasing failed without a reason");
      refused = left == ShardRemovals.Left.NOTED && !waits && up.queued() == queued;
      boolean did = left == ShardRemovals.Left.MORE || left == ShardRemovals.Left.FAILED;
      statistics.erasureTurns += did ? 1 : 0;
    }
    return left;
  }

  private boolean isAtWork() {
    return model.ledgers().stream()
        .anyMatch(ledger -> !ledger.erased.containsAll(removals(ledger, SimLedger.NEVER)));
  }

  /// A note of the eraser was taken, or one of a snapshot, whose turn is over.
  void noted(Shard up, Model.Draft draft) {
    boolean snapshot =
        take(List.of(SnapshotRules.TABLE), up, draft, new SnapshotRules(model)::check);
    boolean erasure = take(TABLES, up, draft, new ErasureRules(model, draft)::check);
    if (erasure || !snapshot) {
      refused = !erasure; // else nothing is known of the eraser's
    }
    statistics.erasureNotes += erasure ? 1 : 0;
  }

  private interface Rules {
    void check(NavigableMap<Bytes, Bytes> before, NavigableMap<Bytes, Bytes> after);
  }

  /// @return whether rows of these tables have changed
  private boolean take(List<Bytes> tables, Shard up, Model.Draft draft, Rules rules) {
    NavigableMap<Bytes, Bytes> before = new TreeMap<>();
    NavigableMap<Bytes, KeptNotes.Row> rows =
        new TreeMap<>(draft.notes == null ? model.notes.newest() : draft.notes);
    rows.forEach((key, row) -> {
      if (tables.contains(key.slice(0, 1))) {
        before.put(key, row.value());
      }
    });
    NavigableMap<Bytes, Bytes> after = visible(tables, up.noteRows(), before);
    if (before.equals(after)) {
      return false;
    }
    rules.check(before, after);
    before.keySet().forEach(rows::remove);
    after.forEach((key, value) -> rows.put(key, new KeptNotes.Row(value, null, null)));
    draft.notes = rows;
    return true;
  }

  /// The frame is there whose turn failed.
  void survived(Shard up, Model.Draft draft) {
    statistics.survivors++;
    if (draft.mayNoteErasure) {
      noted(up, draft);
    }
    model.keep(draft);
  }

  /// @param before without the last note; a machine that has crashed does not read what is saved
  private static NavigableMap<Bytes, Bytes> visible(
      List<Bytes> tables, NoteRows notes, Map<Bytes, Bytes> before) {
    NavigableMap<Bytes, Bytes> rows = new TreeMap<>(before);
    for (Bytes table : tables) {
      notes
          .unsaved(table)
          .forEach((key, row) -> {
            if (row.isPresent()) {
              rows.put(key, row.get());
            } else {
              rows.remove(key);
            }
          });
    }
    return rows;
  }

  /// The frame is durable in which notes of erasures may be.
  void kept() {
    for (SimLedger ledger : model.ledgers()) {
      for (long jsn : removals(ledger, SimLedger.NEVER)) {
        boolean done = isDone(ledger, jsn);
        Violation.unless(
            done || !ledger.erased.contains(jsn), "removal %s was carried out, and is not", jsn);
        if (done && ledger.erased.add(jsn)) {
          statistics.erased++;
        }
      }
    }
  }

  private boolean isDone(SimLedger ledger, long jsn) {
    return model.notes.newest().containsKey(RemovalRows.doneKey(ledger.strand.ledger(), jsn));
  }

  /// All removals that stand as of a size of the log.
  private static List<Long> removals(SimLedger ledger, long size) {
    List<Long> jsns = new ArrayList<>();
    ledger.removed.occults().stream()
        .filter(occult -> occult.jsn() < size)
        .forEach(occult -> jsns.add(occult.jsn()));
    ledger.removed.purges().stream()
        .filter(purge -> purge.isInForce(size))
        .forEach(purge -> jsns.add(purge.jsn()));
    return jsns;
  }

  /// A savepoint has a row for each removal that it has and that is not done in it, and no other.
  void saved() throws IOException, CorruptStreamException {
    if (machine.crashed()) {
      return;
    }
    MetaStore meta = machine.meta();
    TreeSet<Bytes> want = new TreeSet<>();
    for (SimLedger ledger : model.ledgers()) {
      LedgerId id = ledger.strand.ledger();
      StrandRow strand = SavedWorld.strand(meta, ledger.strand);
      for (long jsn : removals(ledger, strand == null ? 0 : strand.size())) {
        if (meta.get(RemovalRows.doneKey(id, jsn)) == null) {
          want.add(PendingErasureRow.key(id, jsn));
        }
      }
    }
    TreeSet<Bytes> are = new TreeSet<>();
    meta.scan(PendingErasureRow.PREFIX, null, (key, _) -> are.add(key));
    Violation.unless(are.equals(want), "erasures %s are left, want %s", are, want);
  }

  /// The shard has opened, with what is stored.
  void opened() {
    refused = false;
    kept();
    if (random.nextInt(SEARCH_ONE_IN) == 0) {
      search();
    }
  }

  private void search() {
    ErasedBytes gone = new ErasedBytes();
    for (SimLedger ledger : model.ledgers()) {
      gone.addAll(ledger, jsn -> isSaved(ledger, jsn));
    }
    if (!gone.isEmpty()) {
      gone.search(machine.disk().afterKill(), machine.meta().afterCrash());
      statistics.searches++;
    }
  }

  private boolean isSaved(SimLedger ledger, long jsn) {
    try {
      return machine.meta().get(RemovalRows.doneKey(ledger.strand.ledger(), jsn)) != null;
    } catch (IOException e) {
      throw new Violation("the row of a removal", e);
    }
  }

  /// Nothing is left to erase.
  void finished() {
    long nowMs = Math.max(model.timeMs, clock.millis());
    for (SimLedger ledger : model.ledgers()) {
      List<Long> left = new ArrayList<>(removals(ledger, SimLedger.NEVER));
      left.removeAll(ledger.erased);
      for (Purged purge : ledger.removed.purges()) {
        if (nowMs <= purge.recallUntilMs()) {
          left.remove(purge.jsn());
        }
      }
      Violation.unless(left.isEmpty(), "of %s, removals %s are not done", ledger.strand, left);
    }
    search();
  }
}
