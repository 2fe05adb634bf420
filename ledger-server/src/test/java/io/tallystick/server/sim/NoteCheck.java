package io.tallystick.server.sim;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.KeptAnchor;
import io.tallystick.node.KeptProposal;
import io.tallystick.server.note.NoteRows;
import io.tallystick.server.proposal.ProposalTable;
import io.tallystick.server.saved.SavepointRow;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.sim.KeptNotes.Row;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Compares noted rows, and what is told of them, with the model's.
final class NoteCheck {
  private static final List<Bytes> TABLES =
      Stream.of("b", "g", "n", "q", "z").map(Bytes::utf8).toList();
  private static final int ALL = 10_000;

  private final Machine machine;
  private final KeptNotes kept;

  NoteCheck(Machine machine, KeptNotes kept) {
    this.machine = machine;
    this.kept = kept;
  }

  /// The rows that the shard answers with are those of the newest durable frame.
  void visible(Shard up) throws IOException {
    if (!machine.crashed()) {
      same("visible", up.noteRows(), kept.newest());
    }
  }

  /// The rows of the meta store are those of the frames before the savepoint's position.
  void saved() throws IOException, CorruptStreamException {
    if (machine.crashed()) {
      return;
    }
    long end = SavepointRow.of(machine.meta()).position().number();
    same("saved before frame " + end, new NoteRows(machine.meta()), kept.at(end));
    kept.forgetBefore(end);
  }

  /// A shard on damaged storage has the rows of its newest frame.
  void damaged(Shard shard, long end) throws IOException {
    same("visible after damage", shard.noteRows(), kept.at(end));
  }

  private static void same(String which, NoteRows are, NavigableMap<Bytes, Row> want)
      throws IOException {
    Map<Bytes, Bytes> rows = new TreeMap<>();
    for (Bytes table : TABLES) {
      rows.putAll(are.withPrefix(table));
    }
    for (var row : rows.entrySet()) {
      Row wanted = want.get(row.getKey());
      Violation.unless(
          wanted != null && wanted.value().equals(row.getValue()),
          "noted row %s that is %s is not the model's %s",
          row.getKey().hex(),
          which,
          wanted);
    }
    Violation.unless(
        rows.size() == want.size(),
        "%s noted rows are %s, want %s",
        rows.size(),
        which,
        want.size());
  }

  /// What clients are told of a ledger.
  void told(Shard up, SimLedger ledger, SplittableRandom random) throws IOException {
    ProposalTable proposals = up.tables().proposals();
    long nowMs = up.time().millis();
    List<KeptProposal> current = new ArrayList<>();
    KeptNotes.of(ledger, kept.newest(), false)
        .values()
        .forEach(row -> current.add(Objects.requireNonNull(row.proposal())));
    current.removeIf(each -> each.expiresMs() < nowMs);
    long size = 1 + random.nextLong(50);
    Set<Digest> signers = new HashSet<>();
    ledger.keys.stream().filter(_ -> random.nextInt(4) != 0).forEach(key -> signers.add(key.kid()));
    try {
      List<KeptProposal> list = proposals.list(ledger.strand.ledger(), null, ALL);
      Violation.unless(list.equals(current), "proposals %s, want %s", list, current);
      for (KeptProposal each : current) {
        var found = proposals.find(ledger.strand.ledger(), each.requestHash());
        Violation.unless(found.equals(Optional.of(each)), "found %s, want %s", found, each);
      }
      List<KeptProposal> submitting = proposals.submitting();
      List<KeptProposal> want = with(KeptProposal.Outcome.Submitting.class);
      Violation.unless(
          submitting.size() == want.size() && submitting.containsAll(want),
          "submitting %s, want %s",
          submitting,
          want);
      Optional<KeptAnchor> nearest = up.tables().anchors().nearest(ledger.strand, size, signers);
      Violation.unless(
          nearest.equals(nearest(ledger, size, signers)), "nearest to %s is %s", size, nearest);
    } catch (RequestRejectedException e) {
      if (e.getCause() instanceof IOException failed) {
        throw failed;
      }
      throw new Violation("no answer of an undamaged table", e);
    }
    long open = with(KeptProposal.Outcome.Open.class).size();
    Violation.unless(
        proposals.openCount() == open, "%s are open, want %s", proposals.openCount(), open);
  }

  private List<KeptProposal> with(Class<? extends KeptProposal.Outcome> outcome) {
    List<KeptProposal> found = new ArrayList<>();
    for (Row row : kept.newest().values()) {
      KeptProposal proposal = row.proposal();
      if (proposal != null && outcome.isInstance(proposal.outcome())) {
        found.add(proposal);
      }
    }
    return found;
  }

  private Optional<KeptAnchor> nearest(SimLedger ledger, long size, Set<Digest> signers) {
    Optional<KeptAnchor> found = Optional.empty();
    for (Row row : KeptNotes.of(ledger, kept.newest(), true).values()) {
      KeptAnchor anchor = Objects.requireNonNull(row.anchor());
      if (anchor.anchor().size().value() <= size && signers.contains(anchor.kid())) {
        found = Optional.of(anchor);
      }
    }
    return found;
  }
}
