package io.tallystick.audit.history;

import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.finding.StatementException.Reason;
import io.tallystick.crypto.PublicKey;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Extension;
import io.tallystick.journal.GenesisParams;
import io.tallystick.model.Jsn;
import java.util.List;
import java.util.Locale;

/// The service's keys at the point the replay has reached, and all it ever had: those of genesis
/// and of each rotation since. Not thread-safe.
public final class ServiceReplay {
  private static final long NONE = -1;

  private ServiceKeys keys;

  /// The jsn of the rotation whose block has not been sealed yet; {@link #NONE} if there is none.
  private long openRotation = NONE;

  public ServiceReplay(GenesisParams genesis) {
    keys = new ServiceKeys(genesis.authority(), genesis.noteKey(), genesis.receiptKey());
  }

  /// By which a head is judged, by its size.
  public ServiceKeys keys() {
    return keys;
  }

  /// The one that signs the service's own requests.
  PublicKey receiptKey() {
    return keys.receiptKey();
  }

  /// Whether this key is or was one of the service's.
  boolean everHeld(PublicKey key) {
    return keys.everHeld(key);
  }

  /// To be asked of each leaf before it is judged.
  ///
  /// @throws FaultException if it follows a rotation and is no seal
  public void checkPlace(long jsn, boolean seal) throws FaultException {
    if (openRotation == NONE) {
      return;
    }
    if (!seal) {
      throw new FaultException(
          jsn,
          FaultKind.ROTATION_NOT_ALONE,
          "a journal in the block of the rotation at " + openRotation);
    }
    openRotation = NONE;
  }

  /// @param blockJsn where the rotation's block begins
  public void rotate(long jsn, long blockJsn, Extension.KeyRotation rotation, MemberReplay members)
      throws FaultException {
    if (jsn != blockJsn) {
      throw new FaultException(
          jsn, FaultKind.ROTATION_NOT_ALONE, "its block begins at " + blockJsn);
    }
    boolean noteChanges = !rotation.noteKey().equals(keys.noteKey());
    boolean receiptChanges = !rotation.receiptKey().equals(keys.receiptKey());
    if (!noteChanges && !receiptChanges) {
      throw new FaultException(jsn, FaultKind.SERVICE_KEYS_INVALID, "neither key changes");
    }
    if (noteChanges) {
      checkNew(jsn, "note key", rotation.noteKey(), members);
    }
    if (receiptChanges) {
      checkNew(jsn, "receipt key", rotation.receiptKey(), members);
    }
    keys = keys.rotated(new Jsn(jsn), rotation.noteKey(), rotation.receiptKey());
    openRotation = jsn;
  }

  private void checkNew(long jsn, String name, PublicKey key, MemberReplay members)
      throws FaultException {
    if (everHeld(key) || members.everHeld(key)) {
      throw new FaultException(
          jsn,
          FaultKind.SERVICE_KEYS_INVALID,
          String.format(
              Locale.ROOT,
              "new %s %s is or was a %s key",
              name,
              key.kid(),
              everHeld(key) ? "service" : "member's"));
    }
  }

  /// Each rotation so far.
  List<ServiceKeys.Term> rotations() {
    return keys.terms().subList(1, keys.terms().size());
  }

  /// Takes the rotations of a statement.
  public void restore(List<ServiceKeys.Term> rotations) throws StatementException {
    try {
      for (ServiceKeys.Term term : rotations) {
        Jsn jsn = new Jsn(term.above().value() - 2);
        keys = keys.rotated(jsn, term.noteKey(), term.receiptKey());
      }
    } catch (IllegalArgumentException e) {
      throw new StatementException(Reason.MALFORMED, "rotations: " + e.getMessage(), e);
    }
  }
}
