package io.tallystick.note;

import io.tallystick.crypto.Signatures;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Whom somebody believes as witnesses, and how many of them must have cosigned a head. A service
/// that shows two histories needs as many of them on its side in each.
///
/// @param keys no two with one public key, for the signed message does not name the witness
/// @param quorum 1 to the number of keys
public record Witnesses(List<WitnessKey> keys, int quorum) {
  /// With the service's own two lines, during a rotation, a note is full: it has 16.
  public static final int COSIGNATURES_MAX = SignedNote.SIGNATURES_MAX - 2;

  public Witnesses {
    keys = List.copyOf(keys);
    if (keys.isEmpty() || keys.size() > COSIGNATURES_MAX) {
      throw new IllegalArgumentException(keys.size() + " witnesses, want 1 to " + COSIGNATURES_MAX);
    }
    if (quorum < 1 || quorum > keys.size()) {
      throw new IllegalArgumentException(
          "a quorum of " + quorum + " of " + keys.size() + " witnesses");
    }
    Set<Object> seen = new HashSet<>();
    for (WitnessKey each : keys) {
      if (!seen.add(each.key())) {
        throw new IllegalArgumentException(each.name() + " has the key of another witness");
      }
    }
  }

  /// The cosignatures of these witnesses under a note, the newest of each, in the order of the
  /// keys. Lines of others are ignored.
  ///
  /// @throws ProofRejectedException if a line by name and id of one of them does not hold: `
  ///   BAD_SIGNATURE`, `MALFORMED`
  public List<Cosignature> cosignatures(SignedNote note, Signatures signatures)
      throws ProofRejectedException {
    List<Cosignature> found = new ArrayList<>();
    for (WitnessKey witness : keys) {
      newest(witness, note, signatures).ifPresent(found::add);
    }
    return found;
  }

  /// Names of the witnesses that are not among those who made `found`, in the order of the keys.
  public List<String> missing(List<Cosignature> found) {
    return keys.stream()
        .filter(key -> found.stream().noneMatch(each -> each.witness().equals(key)))
        .map(WitnessKey::name)
        .toList();
  }

  private static Optional<Cosignature> newest(
      WitnessKey witness, SignedNote note, Signatures signatures) throws ProofRejectedException {
    Optional<Cosignature> newest = Optional.empty();
    for (NoteSignature line : note.signatures()) {
      if (Cosignature.isBy(witness, line)) {
        Cosignature one = Cosignature.verify(note.text(), line, witness, signatures);
        if (newest.isEmpty() || newest.get().timeSeconds() < one.timeSeconds()) {
          newest = Optional.of(one);
        }
      }
    }
    return newest;
  }

  /// The same, if there are enough.
  ///
  /// @throws ProofRejectedException as {@link #cosignatures}; `MISSING` if fewer than the quorum
  ///   cosigned
  public List<Cosignature> verify(SignedNote note, Signatures signatures)
      throws ProofRejectedException {
    List<Cosignature> found = cosignatures(note, signatures);
    if (found.size() < quorum) {
      throw new ProofRejectedException(
          Reason.MISSING,
          String.format(
                  Locale.ROOT,
                  "%d of %d witnesses cosigned the head, want %d",
                  found.size(),
                  keys.size(),
                  quorum)
              + "; missing: "
              + String.join(", ", missing(found)));
    }
    return found;
  }
}
