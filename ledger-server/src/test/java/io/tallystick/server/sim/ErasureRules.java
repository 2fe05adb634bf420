package io.tallystick.server.sim;

import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.server.saved.PendingErasureRow;
import io.tallystick.server.sim.RemovedJournals.Purged;
import io.tallystick.server.world.RemovalRows;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What may be noted of an erasure, by the rules and not by the code: the erasing of a purge begins
/// when no recall can come any more, and behind no recall; none is taken back; it goes on from what
/// is planned to what is erased, and ends when nothing is left. Source:
/// `docs/formats/savepoint.md`, "Removals".
///
/// @param draft of the frame, as of the inputs before
record ErasureRules(Model model, Model.Draft draft) {
  /// Judges one note of the eraser.
  ///
  /// @param before the rows of erasures, by key
  /// @param after the same behind the note
  void check(NavigableMap<Bytes, Bytes> before, NavigableMap<Bytes, Bytes> after) {
    TreeSet<Bytes> changed = new TreeSet<>(before.keySet());
    changed.addAll(after.keySet());
    changed.removeIf(key -> Objects.equals(before.get(key), after.get(key)));
    Bytes noted = changed.first();
    Violation.unless(
        noted.slice(0, 1).equals(PendingErasureRow.NOTED)
            && (changed.size() == 1 || (changed.size() == 2 && isDone(noted, changed.last()))),
        "rows %s of erasures have changed at once",
        changed);
    try {
      LedgerId ledger = PendingErasureRow.ledgerOf(noted);
      long jsn = PendingErasureRow.jsnOf(noted);
      Bytes done = RemovalRows.doneKey(ledger, jsn);
      Violation.unless(!before.containsKey(done), "removal %s was done", jsn);
      check(ledger, jsn, row(before, noted), row(after, noted), after.containsKey(done));
    } catch (MalformedException e) {
      throw new Violation("a row of an erasure", e);
    }
  }

  private static boolean isDone(Bytes noted, Bytes other) {
    return other.slice(0, 1).equals(RemovalRows.DONE)
        && other.slice(1, other.size() - 1).equals(noted.slice(1, noted.size() - 1));
  }

  private static @Nullable PendingErasureRow row(Map<Bytes, Bytes> rows, Bytes key)
      throws MalformedException {
    Bytes row = rows.get(key);
    return row == null ? null : PendingErasureRow.decode(row);
  }

  private void check(
      LedgerId id,
      long jsn,
      @Nullable PendingErasureRow before,
      @Nullable PendingErasureRow after,
      boolean done) {
    if (before == null) {
      Violation.unless(after != null && !done, "removal %s is done and was not begun", jsn);
      begun(id, jsn);
    } else if (after == null) {
      Violation.unless(
          done && before.isLast() && before.planned().isEmpty(),
          "removal %s ends behind %s",
          jsn,
          before);
    } else if (before.planned().isEmpty()) {
      Violation.unless(
          !done && !before.isLast() && after.next() >= before.next(),
          "%s is planned behind %s",
          after,
          before);
    } else {
      Violation.unless(
          !done && after.planned().isEmpty() && after.next() == before.next(),
          "%s is noted when %s was erased",
          after,
          before);
    }
  }

  private void begun(LedgerId id, long jsn) {
    SimLedger ledger =
        model.ledgers().stream()
            .filter(each -> each.strand.ledger().equals(id))
            .findFirst()
            .orElseThrow(() -> new Violation("an erasure of an unknown ledger"));
    RemovedJournals removed = draft.removed.getOrDefault(ledger, ledger.removed);
    if (removed.occults().stream().anyMatch(occult -> occult.jsn() == jsn)) {
      return;
    }
    Optional<Purged> purge =
        removed.purges().stream()
            .filter(each -> each.jsn() == jsn && each.isInForce(SimLedger.NEVER))
            .findFirst();
    Violation.unless(purge.isPresent(), "%s is no removal in force, and is being erased", jsn);
    Violation.unless(
        draft.timeMs > purge.orElseThrow().recallUntilMs(),
        "what %s removed is being erased at %s, when it can be recalled",
        purge,
        draft.timeMs);
  }

  /// Whether a frame behind the draft may not recall a purge any more.
  static boolean hasBegun(Map<Bytes, KeptNotes.Row> rows, SimLedger ledger, long purge) {
    LedgerId id = ledger.strand.ledger();
    return rows.containsKey(PendingErasureRow.notedKey(id, purge))
        || rows.containsKey(RemovalRows.doneKey(id, purge));
  }
}
