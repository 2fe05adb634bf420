package io.tallystick.audit.finding;

import io.tallystick.model.Digest;
import io.tallystick.model.Role;
import java.util.List;
import java.util.Optional;

/// Who could sign at the end of an audited log, and by which keys the service did.
///
/// @param members all there ever were, ascending by kid
/// @param rotations of the service's keys, ascending
/// @param closedJsn the journal that closed the ledger; −1 if none did
public record AuditedPeople(List<Member> members, List<Rotation> rotations, long closedJsn) {
  /// The people of a log whose genesis was not accepted: nobody is known.
  public static final AuditedPeople NONE = new AuditedPeople(List.of(), List.of(), -1);

  public AuditedPeople {
    members = List.copyOf(members);
    rotations = List.copyOf(rotations);
  }

  /// The standing of a member: only a valid one may still sign.
  public enum Standing {
    VALID,
    EXPIRED,
    REVOKED,
    REPLACED
  }

  /// @param standing at the last leaf's time
  /// @param sinceJsn the journal that gave it this role, 0 for genesis; −1 if an earlier run that
  ///   kept no record of it audited that journal
  /// @param notAfterMs the last leaf time at which its key holds; −1 if it does not expire
  /// @param delegated whether its key is an agent's
  /// @param revokedJsn the journal that revoked or replaced it; −1 if none did
  /// @param replacedBy the key whose grant took its place
  public record Member(
      Digest kid,
      Role role,
      Standing standing,
      long sinceJsn,
      long notAfterMs,
      boolean delegated,
      long revokedJsn,
      Optional<Digest> replacedBy) {}

  /// The service's keys from the head of size `jsn` + 3 on.
  ///
  /// @param noteKid of the key of checkpoints
  /// @param receiptKid of the key of receipts
  public record Rotation(long jsn, Digest noteKid, Digest receiptKid) {}

  /// How many of the members may still sign.
  public long valid() {
    return members.stream().filter(each -> each.standing == Standing.VALID).count();
  }
}
