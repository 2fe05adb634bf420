package io.tallystick.server.sim;

import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Kind;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.Role;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.sim.RemovedJournals.Purged;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What may be removed, by the rules and not by the code. Source: `docs/formats/removal.md`.
///
/// @param removed before the journal
/// @param members before the journal
/// @param newestTime the newest time journal; null without
/// @param notes before the journal
/// @param timeMs that its leaf would have
record RemovalRules(
    SimLedger ledger,
    RemovedJournals removed,
    Map<Digest, SimLedger.KnownMember> members,
    SimLedger.@Nullable KnownTime newestTime,
    Map<Bytes, KeptNotes.Row> notes,
    long timeMs) {
  private static final long OLDER_JOURNALS_AFTER_MS = 30L * 24 * 60 * 60 * 1000;

  /// With what a removal is refused when the service reads what it names; empty if with nothing.
  ///
  /// @param size of the sealed head
  /// @param notes that are durable then
  static Optional<RejectionCode> ofReading(
      SimLedger ledger, Extension extension, long size, Map<Bytes, KeptNotes.Row> notes) {
    return switch (extension) {
      case Extension.Occult occult -> ofTarget(ledger, occult.target(), size);
      case Extension.Purge purge -> {
        Snapshot snapshot = ledger.snapshots.get(purge.snapshotDigest());
        boolean kept =
            notes.containsKey(SnapshotRules.key(ledger, purge.height(), purge.snapshotDigest()));
        if (snapshot == null || snapshot.height() != purge.height() || !kept) {
          yield Optional.of(RejectionCode.SNAPSHOT_UNKNOWN);
        }
        yield snapshot.firstKept().equals(purge.firstKept())
            ? Optional.empty()
            : Optional.of(RejectionCode.TARGET_INVALID);
      }
      default -> Optional.empty();
    };
  }

  private static Optional<RejectionCode> ofTarget(
      SimLedger ledger, ErasureTarget target, long size) {
    return switch (target) {
      case ErasureTarget.Journals(List<JournalRef> named) ->
          named.stream().flatMap(each -> ofNamed(ledger, each, size).stream()).findFirst();
      case ErasureTarget.OfClue(Digest _, Jsn _, Jsn last) ->
          last.value() >= size || journals(ledger, target).isEmpty()
              ? Optional.of(RejectionCode.TARGET_INVALID)
              : Optional.empty();
    };
  }

  private static Optional<RejectionCode> ofNamed(SimLedger ledger, JournalRef named, long size) {
    long jsn = named.jsn().value();
    if (jsn >= size || !ledger.history.entry(jsn).leafHash().equals(named.leafHash())) {
      return Optional.of(RejectionCode.TARGET_INVALID);
    }
    Sent sent = ledger.history.entry(jsn).sent();
    boolean governs = sent != null && sent.kind().governance();
    if (jsn < ledger.removed.at(size).firstLeaf() && !ledger.isCarried(jsn, size)) {
      return Optional.of(RejectionCode.PURGED);
    }
    return sent == null || governs ? Optional.of(RejectionCode.TARGET_INVALID) : Optional.empty();
  }

  /// The journals that a target means.
  static SortedSet<Long> journals(SimLedger ledger, ErasureTarget target) {
    SortedSet<Long> journals = new TreeSet<>();
    switch (target) {
      case ErasureTarget.Journals(List<JournalRef> named) ->
          named.forEach(each -> journals.add(each.jsn().value()));
      case ErasureTarget.OfClue(Digest clueId, Jsn first, Jsn last) -> {
        ClueHistory.Clue clue = ledger.history.clues().clue(clueId);
        if (clue != null) {
          for (ClueHistory.Entry entry : clue.below(last.value() + 1)) {
            if (entry.jsn() >= first.value()) {
              journals.add(entry.jsn());
            }
          }
        }
      }
    }
    return journals;
  }

  static SortedSet<Long> journals(SimLedger ledger, Extension extension) {
    return extension instanceof Extension.Occult occult
        ? journals(ledger, occult.target())
        : Collections.emptySortedSet();
  }

  /// @param signers of the removal, members all
  void check(Arrival arrival, List<Digest> signers, Extension extension) throws Refusal {
    switch (extension) {
      case Extension.Occult occult -> checkOccult(journals(ledger, occult.target()), signers);
      case Extension.Purge purge -> checkPurge(arrival.readFrom, purge, signers);
      case Extension.Recall recall -> checkRecall(recall);
      default -> {}
    }
  }

  private void checkOccult(SortedSet<Long> journals, List<Digest> signers) throws Refusal {
    RemovedJournals.At now = removed.at(SimLedger.NEVER);
    if (journals.first() < now.firstKept()) {
      throw new Refusal(RejectionCode.PURGED);
    }
    if (!Collections.disjoint(journals, now.occulted())) {
      throw new Refusal(RejectionCode.ALREADY_OCCULTED);
    }
    checkRegulator(journals.first(), signers);
  }

  private void checkRegulator(long lowest, List<Digest> signers) throws Refusal {
    boolean any = false;
    for (Digest kid : signers) {
      RemovedJournals.RegulatorSince since = removed.regulators().get(kid);
      if (since != null) {
        any = true;
        boolean begun = newestTime == null || since.coveredMs() != SimLedger.NEVER;
        long beginMs = newestTime == null ? since.timeMs() : since.coveredMs();
        if (lowest > since.jsn() || (begun && timeMs >= beginMs + OLDER_JOURNALS_AFTER_MS)) {
          return;
        }
      }
    }
    throw new Refusal(any ? RejectionCode.REGULATOR_TOO_NEW : RejectionCode.SIGNATURES_MISSING);
  }

  private void checkPurge(long readFrom, Extension.Purge purge, List<Digest> signers)
      throws Refusal {
    Optional<Purged> last = removed.lastPurge(SimLedger.NEVER);
    long firstKept = purge.firstKept().value();
    if (last.isPresent() && firstKept <= last.get().jsn()) {
      throw new Refusal(RejectionCode.PURGE_TOO_LOW);
    }
    if (last.isPresent() && timeMs <= last.get().recallUntilMs()) {
      throw new Refusal(RejectionCode.PURGE_OPEN);
    }
    if (newestTime != null && firstKept > newestTime.size()) {
      throw new Refusal(RejectionCode.PURGE_UNANCHORED);
    }
    Snapshot snapshot = Objects.requireNonNull(ledger.snapshots.get(purge.snapshotDigest()));
    for (Digest kid : signers) {
      Role role = Objects.requireNonNull(members.get(kid)).role();
      boolean reads = role == Role.READ_ONLY || role == Role.VERIFY_ONLY;
      if (reads && !snapshot.affected().contains(kid)) {
        throw new Refusal(RejectionCode.ROLE_NOT_ALLOWED);
      }
    }
    long from = last.map(Purged::firstKept).orElse(0L);
    if (readFrom != from) {
      throw new Refusal(RejectionCode.SNAPSHOT_UNKNOWN);
    }
    for (Digest kid : snapshot.affected()) {
      if (!snapshot.absent().contains(kid) && !signers.contains(kid)) {
        throw new Refusal(RejectionCode.SIGNATURES_MISSING);
      }
    }
    if (!Collections.disjoint(snapshot.absent(), signers)) {
      throw new Refusal(RejectionCode.TARGET_INVALID);
    }
    if (!snapshot.absent().isEmpty()) {
      checkRegulator(from, signers);
    }
  }

  /// Of a recall and the erasing only one comes to pass.
  private void checkRecall(Extension.Recall recall) throws Refusal {
    Optional<Purged> last = removed.lastPurge(SimLedger.NEVER);
    long named = recall.purge().value();
    if (last.isEmpty() || last.get().jsn() != named) {
      throw new Refusal(RejectionCode.TARGET_INVALID);
    }
    if (timeMs > last.get().recallUntilMs()) {
      throw new Refusal(RejectionCode.RECALL_TOO_LATE);
    }
    if (ErasureRules.hasBegun(notes, ledger, named)) {
      throw new Refusal(RejectionCode.ERASURE_BEGUN);
    }
  }

  static boolean isRemoval(Kind kind) {
    return kind == Kind.PURGE || kind == Kind.OCCULT || kind == Kind.RECALL;
  }
}
