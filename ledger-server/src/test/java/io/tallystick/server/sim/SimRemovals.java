package io.tallystick.server.sim;

import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Kind;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.Role;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.sim.RemovedJournals.Purged;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// Draws removals, right ones and wrong ones: what they name, and who signs them.
final class SimRemovals {
  private static final long[] RECALLS_MS = {0, 0, 20, 500, 5_000, 100_000, 7_776_000_000L};
  private static final int JOURNALS_MAX = 5;
  private static final int TRIES_MAX = 20;

  private final SplittableRandom random;

  /// What is to be requested, and by whom.
  record Wanted(Kind kind, Extension extension, List<FakeSignatures.Key> signers) {
    Wanted {
      signers = List.copyOf(signers);
    }
  }

  SimRemovals(SplittableRandom random) {
    this.random = random;
  }

  /// @param ledger that is durable
  /// @return a regulator, if the ledger has none yet
  Wanted draw(SimLedger ledger) {
    Optional<FakeSignatures.Key> owner = member(ledger, Role.OWNER);
    List<FakeSignatures.Key> signers = new ArrayList<>(owner.stream().toList());
    if (signers.isEmpty()) {
      signers.add(ledger.keys.getFirst());
    }
    Optional<FakeSignatures.Key> regulator = member(ledger, Role.REGULATOR);
    if (regulator.isEmpty() && random.nextInt(10) != 0) {
      FakeSignatures.Key key = ledger.keys.get(random.nextInt(ledger.keys.size()));
      Extension.Grant grant =
          new Extension.Grant(
              Role.REGULATOR,
              key.publicKey(),
              OptionalLong.empty(),
              Optional.empty(),
              false,
              Optional.empty());
      return new Wanted(Kind.GRANT, grant, signers);
    }
    int choice = random.nextInt(10);
    if (choice < 3 && !ledger.snapshots.isEmpty()) {
      return purge(ledger, signers);
    }
    if (choice < 5 && !ledger.removed.purges().isEmpty()) {
      return new Wanted(Kind.RECALL, recall(ledger), signers);
    }
    if (random.nextInt(20) != 0) {
      regulator.ifPresent(key -> addOnce(key, signers));
    }
    return new Wanted(Kind.OCCULT, new Extension.Occult(target(ledger), "simulated"), signers);
  }

  /// One whose signature counts, if chance finds one.
  private Optional<FakeSignatures.Key> member(SimLedger ledger, Role role) {
    List<FakeSignatures.Key> members =
        ledger.keys.stream()
            .filter(key -> {
              SimLedger.KnownMember member = ledger.members.get(key.kid());
              return member != null && !member.revoked() && member.role() == role;
            })
            .toList();
    return members.isEmpty()
        ? Optional.empty()
        : Optional.of(members.get(random.nextInt(members.size())));
  }

  private static void addOnce(FakeSignatures.Key key, List<FakeSignatures.Key> signers) {
    if (!signers.contains(key)) {
      signers.add(key);
    }
  }

  private ErasureTarget target(SimLedger ledger) {
    int size = ledger.history.size();
    if (ledger.takesCluesSoon() && random.nextInt(3) == 0) {
      long first = random.nextLong(size);
      Digest clue = ledger.clues.get(random.nextInt(ledger.clues.size())).id();
      long last = random.nextInt(10) == 0 ? size : first + random.nextLong(size - first);
      return new ErasureTarget.OfClue(clue, new Jsn(first), new Jsn(last));
    }
    TreeMap<Long, JournalRef> named = new TreeMap<>();
    for (int i = random.nextInt(JOURNALS_MAX); i >= 0; i--) {
      long jsn = journal(ledger, size);
      Digest hash =
          random.nextInt(60) == 0
              ? Digest.of(SimLedger.bytes32(random))
              : ledger.history.entry(jsn).leafHash();
      named.put(jsn, new JournalRef(new Jsn(jsn), hash));
    }
    return new ErasureTarget.Journals(List.copyOf(named.values()));
  }

  /// Mostly one whose body is there.
  private long journal(SimLedger ledger, int size) {
    RemovedJournals.At now = ledger.removed.at(SimLedger.NEVER);
    long jsn = random.nextLong(size);
    for (int tries = random.nextInt(20) == 0 ? TRIES_MAX : 0; tries < TRIES_MAX; tries++) {
      Sent sent = ledger.history.entry(jsn).sent();
      if (sent != null && !sent.kind().governance() && !now.isErased(jsn)) {
        return jsn;
      }
      jsn = random.nextLong(size);
    }
    return jsn;
  }

  private Wanted purge(SimLedger ledger, List<FakeSignatures.Key> signers) {
    List<Snapshot> made = List.copyOf(ledger.snapshots.values());
    int last = made.size() - 1;
    Snapshot snapshot = made.get(random.nextInt(6) == 0 ? random.nextInt(last + 1) : last);
    snapshot.affected().stream()
        .filter(kid -> !snapshot.absent().contains(kid))
        .forEach(kid -> addOnce(ledger.key(kid), signers));
    if (!snapshot.absent().isEmpty()) {
      member(ledger, Role.REGULATOR).ifPresent(key -> addOnce(key, signers));
    }
    if (signers.size() > 1 && random.nextInt(10) == 0) {
      signers.remove(random.nextInt(signers.size()));
    }
    Jsn firstKept = snapshot.firstKept();
    Digest digest = snapshot.digest();
    switch (random.nextInt(30)) {
      case 0 -> digest = Digest.of(SimLedger.bytes32(random));
      case 1 -> firstKept = new Jsn(firstKept.value() + 1);
      default -> {}
    }
    long recallMs = RECALLS_MS[random.nextInt(RECALLS_MS.length)];
    Extension.Purge purge = new Extension.Purge(firstKept, snapshot.height(), digest, recallMs);
    return new Wanted(Kind.PURGE, purge, signers);
  }

  private Extension recall(SimLedger ledger) {
    List<Purged> purges = ledger.removed.purges();
    Purged purge =
        random.nextInt(8) == 0 ? purges.get(random.nextInt(purges.size())) : purges.getLast();
    return new Extension.Recall(new Jsn(purge.jsn()));
  }
}
