package io.tallystick.server.world;

import io.tallystick.journal.Extension;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Digest;
import io.tallystick.model.Printable;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The removals of a ledger, and since when its regulators count. Immutable. Source:
/// `docs/formats/removal.md`.
public final class Removals {
  public static final Removals NONE = new Removals(List.of(), JsnSet.EMPTY, List.of(), Map.of());

  private final List<Occult> occults;
  private final JsnSet occulted;
  private final List<Purge> purges;
  private final Map<Digest, RegulatorStart> regulators;

  private Removals(
      List<Occult> occults,
      JsnSet occulted,
      List<Purge> purges,
      Map<Digest, RegulatorStart> regulators) {
    this.occults = occults;
    this.occulted = occulted;
    this.purges = purges;
    this.regulators = regulators;
  }

  /// A table as saved.
  ///
  /// @param occults ascending
  /// @param purges ascending
  static Removals of(
      List<Occult> occults, List<Purge> purges, Collection<RegulatorStart> regulators) {
    JsnSet.Builder all = new JsnSet.Builder();
    occults.forEach(occult -> occult.journals().forEach(all::add));
    Map<Digest, RegulatorStart> starts = new LinkedHashMap<>();
    regulators.forEach(start -> starts.put(start.kid(), start));
    return new Removals(List.copyOf(occults), all.build(), List.copyOf(purges), starts);
  }

  /// Whether the body of a journal is erased, or is to be.
  public boolean isErased(long jsn) {
    return isOcculted(jsn) || jsn < firstKept();
  }

  /// The jsn of the removal that erases a journal's body; of an occult, if the journal was purged
  /// later.
  public OptionalLong removalOf(long jsn) {
    OptionalLong occult = occultOf(jsn);
    if (occult.isPresent()) {
      return occult;
    }
    return purges.stream()
        .filter(purge -> jsn < purge.firstKept())
        .mapToLong(Purge::jsn)
        .findFirst();
  }

  /// Ascending.
  public List<Occult> occults() {
    return occults;
  }

  public boolean isOcculted(long jsn) {
    return occulted.contains(jsn);
  }

  /// The jsn of the occult that erases a journal's body.
  public OptionalLong occultOf(long jsn) {
    if (isOcculted(jsn)) {
      for (Occult occult : occults) {
        if (occult.journals().contains(jsn)) {
          return OptionalLong.of(occult.jsn());
        }
      }
    }
    return OptionalLong.empty();
  }

  /// The purges that were not recalled, ascending.
  public List<Purge> purges() {
    return purges;
  }

  public Optional<Purge> lastPurge() {
    return purges.isEmpty() ? Optional.empty() : Optional.of(purges.getLast());
  }

  /// The lowest jsn that no purge removed.
  public long firstKept() {
    return purges.isEmpty() ? 0 : purges.getLast().firstKept();
  }

  /// The lowest jsn whose leaf no purge removed.
  public long firstLeaf() {
    return purges.isEmpty() ? 0 : purges.getLast().firstLeaf();
  }

  /// The refusal of what asks for a journal that is purged.
  ///
  /// @param jsn below `firstKept()`
  public RequestRejectedException purged(long jsn) {
    return purges.stream()
        .filter(purge -> jsn < purge.firstKept())
        .findFirst()
        .orElseThrow()
        .removed(jsn, firstKept());
  }

  /// Decides whether a purge may be, its signers apart.
  ///
  /// @param newest the newest time journal
  /// @param timeMs of the leaf it would be
  /// @throws RequestRejectedException `PURGE_TOO_LOW`, `PURGE_OPEN`, `PURGE_UNANCHORED`
  void checkPurge(Extension.Purge purge, Optional<NewestTime> newest, long timeMs)
      throws RequestRejectedException {
    long firstKept = purge.firstKept().value();
    Optional<Purge> last = lastPurge();
    if (last.isPresent() && firstKept <= last.get().jsn()) {
      throw last.get().tooLow(firstKept);
    }
    if (last.isPresent() && timeMs <= last.get().recallUntilMs()) {
      throw new RequestRejectedException(
              RejectionCode.PURGE_OPEN,
              String.format(
                  Locale.ROOT,
                  "purge %d can be recalled until %s; no other is taken before",
                  last.get().jsn(),
                  Printable.time(last.get().recallUntilMs())))
          .atJsn(last.get().jsn())
          .withLimit(last.get().recallUntilMs());
    }
    checkAnchored(firstKept, newest);
  }

  /// @param newest the newest time journal: no purge goes beyond the head that it is about
  /// @throws RequestRejectedException `PURGE_UNANCHORED`
  public static void checkAnchored(long firstKept, Optional<NewestTime> newest)
      throws RequestRejectedException {
    if (newest.isPresent() && firstKept > newest.get().size()) {
      throw new RequestRejectedException(
              RejectionCode.PURGE_UNANCHORED,
              String.format(
                  Locale.ROOT,
                  "the newest time journal, %d, is of size %d; a purge goes no further",
                  newest.get().jsn(),
                  newest.get().size()))
          .atJsn(newest.get().jsn())
          .withLimit(newest.get().size());
    }
  }

  /// Decides whether the signers of a purge suffice, an owner apart.
  ///
  /// @param anchored whether the ledger has a time journal
  /// @throws RequestRejectedException `SNAPSHOT_UNKNOWN` if a purge came into force or was recalled
  ///   since the snapshot was made: it affects others now; `SIGNATURES_MISSING`,
  ///   `REGULATOR_TOO_NEW`
  void checkPurgeSigners(PurgeTerms terms, List<Digest> signers, long timeMs, boolean anchored)
      throws RequestRejectedException {
    if (terms.from() != firstKept()) {
      throw new RequestRejectedException(
          RejectionCode.SNAPSHOT_UNKNOWN,
          String.format(
              Locale.ROOT,
              "the snapshot was made when all below %d was purged, and now all below %d is; prepare the purge again",
              terms.from(),
              firstKept()));
    }
    List<Digest> missing =
        terms.affected().stream()
            .filter(kid -> !terms.absent().contains(kid) && !signers.contains(kid))
            .toList();
    if (!missing.isEmpty()) {
      throw new RequestRejectedException(
          RejectionCode.SIGNATURES_MISSING,
          "a purge needs the signature of every affected member who is not absent; missing: "
              + missing);
    }
    List<Digest> present = terms.absent().stream().filter(signers::contains).toList();
    if (!present.isEmpty()) {
      throw new RequestRejectedException(
          RejectionCode.TARGET_INVALID,
          "the snapshot says that they are absent, and they signed: " + present);
    }
    if (!terms.absent().isEmpty()) {
      checkRegulator(firstKept(), signers, timeMs, anchored);
    }
  }

  /// Decides whether a recall may be, as far as the log says.
  ///
  /// @throws RequestRejectedException `TARGET_INVALID` unless it names the last purge;
  ///   `RECALL_TOO_LATE`
  void checkRecall(Extension.Recall recall, long timeMs) throws RequestRejectedException {
    long named = recall.purge().value();
    Optional<Purge> last = lastPurge();
    if (last.isEmpty() || last.get().jsn() != named) {
      String newest = last.map(purge -> "journal " + purge.jsn()).orElse("none");
      throw new RequestRejectedException(
              RejectionCode.TARGET_INVALID,
              String.format(
                  Locale.ROOT,
                  "the newest purge that was not recalled is %s, not journal %d",
                  newest,
                  named))
          .atJsn(named);
    }
    if (timeMs > last.get().recallUntilMs()) {
      throw new RequestRejectedException(
              RejectionCode.RECALL_TOO_LATE,
              String.format(
                  Locale.ROOT,
                  "purge %d could be recalled until %s, it is %s",
                  named,
                  Printable.time(last.get().recallUntilMs()),
                  Printable.time(timeMs)))
          .atJsn(named)
          .withLimit(last.get().recallUntilMs());
    }
  }

  /// The occult at a jsn.
  public Optional<Occult> occultAt(long jsn) {
    return occults.stream().filter(occult -> occult.jsn() == jsn).findFirst();
  }

  /// The purge at a jsn, unless it was recalled.
  public Optional<Purge> purgeAt(long jsn) {
    return purges.stream().filter(purge -> purge.jsn() == jsn).findFirst();
  }

  Collection<RegulatorStart> regulators() {
    return regulators.values();
  }

  /// Decides whether an occult may be, its signers' roles apart.
  ///
  /// @param targets the journals that its target names
  /// @param signers of the occult, members
  /// @param timeMs of the leaf it would be
  /// @param anchored whether the ledger has a time journal
  /// @throws RequestRejectedException `PURGED`, `ALREADY_OCCULTED`, `REGULATOR_TOO_NEW`
  void checkOccult(JsnSet targets, List<Digest> signers, long timeMs, boolean anchored)
      throws RequestRejectedException {
    checkTargets(targets);
    checkRegulator(targets.first(), signers, timeMs, anchored);
  }

  /// Refuses targets of an occult that cannot be erased by it any more.
  ///
  /// @throws RequestRejectedException `PURGED`, `ALREADY_OCCULTED`
  public void checkTargets(JsnSet targets) throws RequestRejectedException {
    if (targets.isEmpty()) {
      return;
    }
    if (targets.first() < firstKept()) {
      throw purged(targets.first());
    }
    long twice = targets.firstInBoth(occulted);
    if (twice >= 0) {
      throw new RequestRejectedException(
              RejectionCode.ALREADY_OCCULTED,
              String.format(
                  Locale.ROOT,
                  "journal %d was occulted by journal %d",
                  twice,
                  occultOf(twice).orElseThrow()))
          .atJsn(twice);
    }
  }

  /// @param lowest the lowest jsn that is removed
  private void checkRegulator(long lowest, List<Digest> signers, long timeMs, boolean anchored)
      throws RequestRejectedException {
    boolean none = true;
    long countsFromMs = RegulatorStart.NOT_BEGUN;
    for (Digest kid : signers) {
      RegulatorStart start = regulators.get(kid);
      if (start != null) {
        none = false;
        countsFromMs = Math.min(countsFromMs, start.countsFromMs(lowest, anchored));
      }
    }
    if (none) {
      throw new RequestRejectedException(
          RejectionCode.SIGNATURES_MISSING,
          String.format(
              Locale.ROOT, "%s needs to sign; valid: %s", Role.REGULATOR, regulators.keySet()));
    }
    if (countsFromMs == RegulatorStart.NOT_BEGUN) {
      throw new RequestRejectedException(
              RejectionCode.REGULATOR_TOO_NEW,
              String.format(
                  Locale.ROOT,
                  "no regulator that signed was one before journal %d, and no time journal covers since when one is: its 30 days have not begun",
                  lowest))
          .atJsn(lowest);
    }
    if (timeMs < countsFromMs) {
      throw new RequestRejectedException(
              RejectionCode.REGULATOR_TOO_NEW,
              String.format(
                  Locale.ROOT,
                  "no regulator that signed was one before journal %d; one counts for it from %s on",
                  lowest,
                  Printable.time(countsFromMs)))
          .atJsn(lowest)
          .withLimit(countsFromMs);
    }
  }

  /// After a journal at `jsn`; the same object if it changes nothing here.
  ///
  /// @param targets of an occult; null for any other journal
  Removals after(RequestHeader header, @Nullable JsnSet targets, long jsn, long timeMs) {
    return switch (header.extension()) {
      case Extension.Occult _ when targets != null -> {
        List<Occult> more = new ArrayList<>(occults);
        more.add(new Occult(jsn, targets));
        yield new Removals(List.copyOf(more), occulted.and(targets), purges, regulators);
      }
      case Extension.Occult _ ->
          throw new IllegalArgumentException("occult at " + jsn + " without its targets");
      case Extension.MemberAdd add -> withRole(add.key().kid(), add.role(), jsn, timeMs);
      case Extension.Grant grant -> withRole(grant.key().kid(), grant.role(), jsn, timeMs);
      case Extension.None _,
          Extension.Parameters _,
          Extension.MemberRevoke _,
          Extension.KeyRotation _,
          Extension.Close _ ->
          this;
      case Extension.Time time -> covered(time.size().value(), timeMs);
      case Extension.Purge purge -> {
        List<Purge> more = new ArrayList<>(purges);
        more.add(
            new Purge(
                jsn,
                purge.firstKept().value(),
                purge.height(),
                purge.snapshotDigest(),
                timeMs,
                purge.recallMs()));
        yield new Removals(occults, occulted, List.copyOf(more), regulators);
      }
      case Extension.Recall _ ->
          new Removals(
              occults, occulted, List.copyOf(purges.subList(0, purges.size() - 1)), regulators);
    };
  }

  /// A renewed grant of the same role keeps its start.
  private Removals withRole(Digest kid, Role role, long jsn, long timeMs) {
    boolean was = regulators.containsKey(kid);
    if (was == (role == Role.REGULATOR)) {
      return this;
    }
    Map<Digest, RegulatorStart> changed = new LinkedHashMap<>(regulators);
    if (was) {
      changed.remove(kid);
    } else {
      changed.put(kid, new RegulatorStart(kid, jsn, timeMs, OptionalLong.empty()));
    }
    return new Removals(occults, occulted, purges, changed);
  }

  /// A time journal begins the days of the regulators that it is the first to cover.
  private Removals covered(long size, long leafMs) {
    Map<Digest, RegulatorStart> changed = new LinkedHashMap<>(regulators);
    changed.replaceAll((_, start) -> start.covered(size, leafMs));
    return changed.equals(regulators) ? this : new Removals(occults, occulted, purges, changed);
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // most journals remove nothing
  public boolean equals(@Nullable Object other) {
    return other == this
        || (other instanceof Removals removals
            && occults.equals(removals.occults)
            && purges.equals(removals.purges)
            && regulators.equals(removals.regulators));
  }

  @Override
  public int hashCode() {
    return Objects.hash(occults, purges, regulators);
  }
}
