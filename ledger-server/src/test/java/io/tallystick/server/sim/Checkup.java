package io.tallystick.server.sim;

import io.tallystick.node.Member;
import io.tallystick.server.sequencer.StrandHead;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.world.JsnSet;
import io.tallystick.server.world.NewestTime;
import io.tallystick.server.world.Occult;
import io.tallystick.server.world.Purge;
import io.tallystick.server.world.Removals;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;

/// Compares the whole state of a sound shard with what is durable.
final class Checkup {
  private static final int WALK_ALL_BELOW = 120;
  private static final int WALK_LEAVES = 60;

  private final Inspector inspector;
  private final Model model;
  private final NoteCheck notes;
  private final SplittableRandom random;

  Checkup(Inspector inspector, Model model, NoteCheck notes, SplittableRandom random) {
    this.notes = notes;
    this.inspector = inspector;
    this.model = model;
    this.random = random;
  }

  /// Every sealed head, and the rows of the newest savepoint.
  void heads(Shard up) throws IOException, CorruptStreamException {
    boolean all = up.unsealedFrames() == 0;
    for (SimLedger ledger : model.ledgers()) {
      inspector.head(up, ledger, all);
    }
    notes.saved();
  }

  /// Noted rows, heads, members, and every leaf; of a long log mostly the newest.
  void afterStart(Shard up) throws IOException, CorruptStreamException {
    notes.visible(up);
    notes.saved();
    for (SimLedger ledger : model.ledgers()) {
      inspector.head(up, ledger, true);
      members(up, ledger);
      long size = ledger.history.size();
      boolean all = size < WALK_ALL_BELOW || random.nextLong(size) < WALK_ALL_BELOW;
      inspector.everything(up, ledger, all ? 0 : size - WALK_LEAVES, size, random);
    }
  }

  /// Every sealed leaf; of a long log mostly a stretch, unless `whole`.
  void audit(Shard up, boolean whole) throws IOException, CorruptStreamException {
    for (SimLedger ledger : model.ledgers()) {
      long size = up.indexer().strand(ledger.strand).head().size();
      if (size > 0) {
        boolean all = whole || size < WALK_ALL_BELOW || random.nextLong(size) < WALK_ALL_BELOW;
        long from = all ? 0 : random.nextLong(size - WALK_LEAVES);
        inspector.everything(up, ledger, from, all ? size : from + WALK_LEAVES, random);
      }
    }
  }

  private static void members(Shard up, SimLedger ledger) {
    StrandHead head =
        Objects.requireNonNull(up.sequencer().head(ledger.strand.ledger()), "a ledger is lost");
    Violation.unless(
        head.members().all().size() == ledger.members.size(), "members of %s", ledger.strand);
    Violation.unless(
        head.governance().closedJsn() == ledger.closedJsn,
        "closed at %s, want %s",
        head.governance().closedJsn(),
        ledger.closedJsn);
    newestTime(head, ledger);
    removals(head.governance().removals(), ledger);
    Violation.unless(
        head.members().service().keys().equals(ledger.serviceKeys),
        "service keys %s, want %s",
        head.members().service().keys(),
        ledger.serviceKeys);
    for (Member member : head.members().all()) {
      SimLedger.KnownMember known = ledger.members.get(member.key().kid());
      Violation.unless(
          known != null
              && known.role() == member.role()
              && known.addedJsn() == member.addedJsn()
              && known.revokedJsn() == member.revokedJsn()
              && known.notAfterMs() == member.terms().notAfterMs()
              && known.delegated() == member.terms().delegated()
              && Objects.equals(known.replacedBy(), member.replacedBy().orElse(null)),
          "member %s, want %s",
          member,
          known);
    }
  }

  private static void removals(Removals is, SimLedger ledger) {
    List<Purge> purges =
        ledger.removed.purges().stream()
            .filter(purge -> purge.isInForce(SimLedger.NEVER))
            .map(purge ->
                new Purge(
                    purge.jsn(),
                    purge.firstKept(),
                    purge.height(),
                    purge.snapshot(),
                    purge.timeMs(),
                    purge.recallMs()))
            .toList();
    Violation.unless(is.purges().equals(purges), "purges %s, want %s", is.purges(), purges);
    List<Occult> occults = new ArrayList<>();
    for (RemovedJournals.Occulted occult : ledger.removed.occults()) {
      JsnSet.Builder journals = new JsnSet.Builder();
      occult.journals().forEach(journals::add);
      occults.add(new Occult(occult.jsn(), journals.build()));
    }
    Violation.unless(is.occults().equals(occults), "occults %s, want %s", is.occults(), occults);
  }

  private static void newestTime(StrandHead head, SimLedger ledger) {
    SimLedger.KnownTime time = ledger.newestTime;
    Optional<NewestTime> want =
        Optional.ofNullable(time).map(known -> new NewestTime(known.jsn(), known.size()));
    Violation.unless(
        head.governance().newestTime().equals(want),
        "newest time journal %s, want %s",
        head.governance().newestTime(),
        want);
  }
}
