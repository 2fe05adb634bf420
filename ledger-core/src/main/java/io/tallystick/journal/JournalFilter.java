package io.tallystick.journal;

import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.util.Optional;
import java.util.OptionalLong;

/// The conditions for the leaves of a log that are looked for; all must hold. Genesis and seals
/// have no signer and no kind.
///
/// @param signer kid of a key that signed it, others may have too
/// @param kind of the request
/// @param fromTimeMs of the leaf, at least
/// @param toTimeMs of the leaf, below this
public record JournalFilter(
    Optional<Digest> signer, Optional<Kind> kind, OptionalLong fromTimeMs, OptionalLong toTimeMs) {
  /// The filter without conditions.
  public static final JournalFilter ALL =
      new JournalFilter(
          Optional.empty(), Optional.empty(), OptionalLong.empty(), OptionalLong.empty());

  public JournalFilter {
    if (fromTimeMs.orElse(0) < 0 || toTimeMs.orElse(0) < 0) {
      throw new IllegalArgumentException("a time is negative");
    }
    if (fromTimeMs.isPresent()
        && toTimeMs.isPresent()
        && fromTimeMs.getAsLong() >= toTimeMs.getAsLong()) {
      throw new IllegalArgumentException(
          "no time is from " + fromTimeMs.getAsLong() + " to before " + toTimeMs.getAsLong());
    }
  }

  public JournalFilter signedBy(Digest kid) {
    return new JournalFilter(Optional.of(kid), kind, fromTimeMs, toTimeMs);
  }

  public JournalFilter ofKind(Kind wanted) {
    return new JournalFilter(signer, Optional.of(wanted), fromTimeMs, toTimeMs);
  }

  /// @param timeMs of the first leaf
  public JournalFilter fromTime(long timeMs) {
    return new JournalFilter(signer, kind, OptionalLong.of(timeMs), toTimeMs);
  }

  /// @param timeMs behind the last leaf
  public JournalFilter toTime(long timeMs) {
    return new JournalFilter(signer, kind, fromTimeMs, OptionalLong.of(timeMs));
  }

  public boolean isAll() {
    return equals(ALL);
  }

  /// Whether it is too late for the filter, and so are all leaves behind it.
  public boolean endsBefore(Leaf leaf) {
    return toTimeMs.isPresent() && leaf.timeMs() >= toTimeMs.getAsLong();
  }

  /// @param attestation by which the leaf was signed; not read where no signer is wanted
  /// @throws MalformedException if header or attestation is not of its form
  public boolean matches(Leaf leaf, Bytes attestation) throws MalformedException {
    if (endsBefore(leaf) || leaf.timeMs() < fromTimeMs.orElse(0)) {
      return false;
    }
    if (signer.isEmpty() && kind.isEmpty()) {
      return true;
    }
    if (!(leaf instanceof JournalLeaf journal)) {
      return false;
    }
    Kind found = RequestHeader.decode(journal.header()).kind();
    return (kind.isEmpty() || kind.get() == found)
        && (signer.isEmpty() || isSigned(Attestation.decode(attestation, found), signer.get()));
  }

  private static boolean isSigned(Attestation attestation, Digest kid) throws MalformedException {
    for (CoseSign1 signature : attestation.signatures()) {
      if (ProtectedHeader.kid(signature.protectedHeader()).equals(kid)) {
        return true;
      }
    }
    return false;
  }
}
