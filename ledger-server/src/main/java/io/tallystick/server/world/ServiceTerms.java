package io.tallystick.server.world;

import io.tallystick.crypto.PublicKey;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Extension;
import io.tallystick.journal.GenesisParams;
import io.tallystick.model.Jsn;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The service's keys of one ledger at one jsn, and since when. Immutable. Source:
/// `docs/formats/people-and-time.md`, "Keys by size".
///
/// @param rotatedMs of the leaf of the newest rotation of the note key; 0 before the first
public record ServiceTerms(ServiceKeys keys, long rotatedMs) {
  /// How long after a rotation a note carries the other key's line, too.
  static final long BOTH_KEYS_MS = Duration.ofDays(30).toMillis();

  public static ServiceTerms ofGenesis(GenesisParams genesis) {
    return new ServiceTerms(
        new ServiceKeys(genesis.authority(), genesis.noteKey(), genesis.receiptKey()), 0);
  }

  /// Each rotation so far.
  public List<ServiceKeys.Term> rotations() {
    return keys.terms().subList(1, keys.terms().size());
  }

  /// @throws RequestRejectedException `KEY_NOT_ALLOWED` if neither key changes, or a key that
  ///   changes was a service key before
  ServiceTerms rotated(Extension.KeyRotation rotation, long jsn, long timeMs)
      throws RequestRejectedException {
    try {
      boolean noteChanges = !rotation.noteKey().equals(keys.noteKey());
      return new ServiceTerms(
          keys.rotated(new Jsn(jsn), rotation.noteKey(), rotation.receiptKey()),
          noteChanges ? timeMs : rotatedMs);
    } catch (IllegalArgumentException e) {
      throw new RequestRejectedException(
          RejectionCode.KEY_NOT_ALLOWED, String.valueOf(e.getMessage()), e);
    }
  }

  /// The key whose line stands in a note beside that of the valid one, so that whoever pinned
  /// either key verifies it. From the rotation's own head on, for 30 days.
  ///
  /// @param sealMs of the seal before `size`
  public Optional<PublicKey> otherNoteKey(long size, long sealMs) {
    int last = keys.terms().size() - 1;
    while (last > 0 && keys.terms().get(last - 1).noteKey().equals(keys.noteKey())) {
      last--; // that rotation changed the receipt key alone
    }
    if (last == 0 || sealMs > rotatedMs + BOTH_KEYS_MS) {
      return Optional.empty();
    }
    return Optional.of(
        size > keys.terms().get(last).above().value()
            ? keys.terms().get(last - 1).noteKey()
            : keys.noteKey());
  }
}
