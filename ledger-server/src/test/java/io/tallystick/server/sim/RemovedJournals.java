package io.tallystick.server.sim;

import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Extension;
import io.tallystick.model.Digest;
import io.tallystick.model.Role;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// What the journals of a ledger removed, by the rules and not by the code. Nothing is forgotten,
/// so that it can be asked as of any size. Immutable. Source: `docs/formats/removal.md`.
///
/// @param occults ascending
/// @param purges ascending, those that were recalled too
/// @param regulators since when each of them is one
record RemovedJournals(
    List<Occulted> occults, List<Purged> purges, Map<Digest, RegulatorSince> regulators) {
  static final RemovedJournals NONE = new RemovedJournals(List.of(), List.of(), Map.of());
  private static final int BUNDLE = 256;

  /// An occult with all journals that it names.
  record Occulted(long jsn, SortedSet<Long> journals) {}

  /// The journal that made a key a regulator.
  ///
  /// @param coveredMs of the first time journal that covers it; {@link SimLedger#NEVER} without
  record RegulatorSince(long jsn, long timeMs, long coveredMs) {}

  /// @param recalledJsn of the recall; {@link SimLedger#NEVER} without
  record Purged(
      long jsn,
      long firstKept,
      long height,
      Digest snapshot,
      long timeMs,
      long recallMs,
      long recalledJsn) {
    long recallUntilMs() {
      return timeMs + recallMs;
    }

    boolean isInForce(long size) {
      return jsn < size && recalledJsn >= size;
    }

    /// The bundle that the first kept journal lies in stays whole.
    long firstLeaf() {
      return firstKept - firstKept % BUNDLE;
    }
  }

  /// As of one size of the log.
  ///
  /// @param firstKept the lowest journal that is not purged
  /// @param firstLeaf the lowest whose leaf is not gone
  record At(long firstKept, long firstLeaf, SortedSet<Long> occulted) {
    boolean isErased(long jsn) {
      return jsn < firstKept || occulted.contains(jsn);
    }
  }

  At at(long size) {
    Optional<Purged> last = lastPurge(size);
    SortedSet<Long> occulted = new TreeSet<>();
    for (Occulted occult : occults) {
      if (occult.jsn < size) {
        occulted.addAll(occult.journals);
      }
    }
    return new At(
        last.map(Purged::firstKept).orElse(0L), last.map(Purged::firstLeaf).orElse(0L), occulted);
  }

  /// The newest purge that was not recalled.
  Optional<Purged> lastPurge(long size) {
    return purges.reversed().stream().filter(purge -> purge.isInForce(size)).findFirst();
  }

  /// @param journals that an occult names; of any other journal empty
  RemovedJournals after(Extension extension, SortedSet<Long> journals, long jsn, long timeMs) {
    return switch (extension) {
      case Extension.Occult _ -> {
        List<Occulted> more = new ArrayList<>(occults);
        more.add(new Occulted(jsn, journals));
        yield new RemovedJournals(List.copyOf(more), purges, regulators);
      }
      case Extension.Purge purge -> {
        List<Purged> more = new ArrayList<>(purges);
        more.add(
            new Purged(
                jsn,
                purge.firstKept().value(),
                purge.height(),
                purge.snapshotDigest(),
                timeMs,
                purge.recallMs(),
                SimLedger.NEVER));
        yield new RemovedJournals(occults, List.copyOf(more), regulators);
      }
      case Extension.Recall recall -> {
        List<Purged> changed = new ArrayList<>(purges);
        changed.replaceAll(purge ->
            purge.jsn == recall.purge().value()
                ? new Purged(
                    purge.jsn,
                    purge.firstKept,
                    purge.height,
                    purge.snapshot,
                    purge.timeMs,
                    purge.recallMs,
                    jsn)
                : purge);
        yield new RemovedJournals(occults, List.copyOf(changed), regulators);
      }
      case Extension.Time time -> {
        Map<Digest, RegulatorSince> changed = new LinkedHashMap<>(regulators);
        changed.replaceAll((_, since) ->
            since.coveredMs == SimLedger.NEVER && since.jsn < time.size().value()
                ? new RegulatorSince(since.jsn, since.timeMs, timeMs)
                : since);
        yield new RemovedJournals(occults, purges, changed);
      }
      case Extension.MemberAdd(Role role, PublicKey key) -> withRole(key.kid(), role, jsn, timeMs);
      case Extension.Grant grant -> withRole(grant.key().kid(), grant.role(), jsn, timeMs);
      default -> this;
    };
  }

  /// A grant of the same role to a regulator changes nothing.
  private RemovedJournals withRole(Digest kid, Role role, long jsn, long timeMs) {
    Map<Digest, RegulatorSince> changed = new LinkedHashMap<>(regulators);
    if (role == Role.REGULATOR) {
      changed.putIfAbsent(kid, new RegulatorSince(jsn, timeMs, SimLedger.NEVER));
    } else {
      changed.remove(kid);
    }
    return new RemovedJournals(occults, purges, changed);
  }
}
