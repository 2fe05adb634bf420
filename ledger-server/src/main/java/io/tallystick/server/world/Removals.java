package io.tallystick.server.world;

import io.tallystick.journal.Extension;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// What was removed from a ledger, and since when its regulators count. Immutable. Source:
/// `docs/formats/removal.md`.
public final class Removals {
  public static final Removals NONE = new Removals(List.of(), JsnSet.EMPTY, Map.of());

  private final List<Occult> occults;
  private final JsnSet occulted;
  private final Map<Digest, RegulatorStart> regulators;

  private Removals(List<Occult> occults, JsnSet occulted, Map<Digest, RegulatorStart> regulators) {
    this.occults = occults;
    this.occulted = occulted;
    this.regulators = regulators;
  }

  /// A table as saved.
  ///
  /// @param occults ascending
  static Removals of(List<Occult> occults, Collection<RegulatorStart> regulators) {
    JsnSet.Builder all = new JsnSet.Builder();
    occults.forEach(occult -> occult.journals().forEach(all::add));
    Map<Digest, RegulatorStart> starts = new LinkedHashMap<>();
    regulators.forEach(start -> starts.put(start.kid(), start));
    return new Removals(List.copyOf(occults), all.build(), starts);
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

  Collection<RegulatorStart> regulators() {
    return regulators.values();
  }

  /// Decides whether an occult may be, its signers' roles apart.
  ///
  /// @param targets the journals that its target names
  /// @param signers of the occult, members
  /// @param timeMs of the leaf it would be
  /// @throws RequestRejectedException `ALREADY_OCCULTED`, `REGULATOR_TOO_NEW`
  void checkOccult(JsnSet targets, List<Digest> signers, long timeMs)
      throws RequestRejectedException {
    long twice = targets.firstInBoth(occulted);
    if (twice >= 0) {
      throw new RequestRejectedException(
              RejectionCode.ALREADY_OCCULTED,
              "journal %d was occulted by journal %d"
                  .formatted(twice, occultOf(twice).orElseThrow()))
          .atJsn(twice);
    }
    long countsFromMs = Long.MAX_VALUE;
    for (Digest kid : signers) {
      RegulatorStart start = regulators.get(kid);
      if (start != null) {
        countsFromMs = Math.min(countsFromMs, start.countsFromMs(targets.first()));
      }
    }
    if (timeMs < countsFromMs) {
      throw new RequestRejectedException(
              RejectionCode.REGULATOR_TOO_NEW,
              "no regulator that signed was one before journal %d; one counts for it from %d ms on"
                  .formatted(targets.first(), countsFromMs))
          .atJsn(targets.first())
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
        yield new Removals(List.copyOf(more), occulted.and(targets), regulators);
      }
      case Extension.Occult _ ->
          throw new IllegalArgumentException("occult at " + jsn + " without its targets");
      case Extension.MemberAdd add -> withRole(add.key().kid(), add.role(), jsn, timeMs);
      case Extension.Grant grant -> withRole(grant.key().kid(), grant.role(), jsn, timeMs);
      case Extension.None _,
          Extension.Parameters _,
          Extension.MemberRevoke _,
          Extension.KeyRotation _,
          Extension.Time _,
          Extension.Purge _,
          Extension.Recall _,
          Extension.Close _ ->
          this;
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
      changed.put(kid, new RegulatorStart(kid, jsn, timeMs));
    }
    return new Removals(occults, occulted, changed);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Removals removals
        && occults.equals(removals.occults)
        && regulators.equals(removals.regulators);
  }

  @Override
  public int hashCode() {
    return 31 * occults.hashCode() + regulators.hashCode();
  }
}
