package io.tallystick.client;

import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.Role;
import io.tallystick.receipt.ReceiptFile;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// Why the body of a journal is not there any more. Verified: that an occult in this log names the
/// journal, and that members signed it, an owner and a regulator among them. That the regulator had
/// been one for long enough shows an audit.
///
/// @param jsn of the journal whose body was erased
/// @param occult jsn of the journal that erased it
/// @param signers of the occult, ascending by kid
/// @param basis on what ground, as the signers said; may be empty
/// @param timeMs of the occult's leaf
/// @param doneMs when all that the occult names was erased on the disk, which is the service's
///   word; empty before
/// @param receipt of the occult, to keep
public record ErasedBody(
    Jsn jsn,
    Jsn occult,
    List<Signer> signers,
    String basis,
    long timeMs,
    OptionalLong doneMs,
    ReceiptFile receipt) {
  /// @param role it had then; empty if a later grant changed it, and it is not known
  public record Signer(Digest kid, Optional<Role> role) {
    private boolean mayBe(Role wanted) {
      return role.isEmpty() || role.get() == wanted;
    }
  }

  public ErasedBody {
    signers = List.copyOf(signers);
  }

  /// Whether one may be an owner and another one a regulator.
  static boolean suffices(List<Signer> signers) {
    return signers.stream()
        .filter(owner -> owner.mayBe(Role.OWNER))
        .anyMatch(owner ->
            signers.stream()
                .anyMatch(other -> !other.equals(owner) && other.mayBe(Role.REGULATOR)));
  }
}
