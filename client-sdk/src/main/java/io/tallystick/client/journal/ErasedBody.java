package io.tallystick.client.journal;

import io.tallystick.journal.Extension;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.Printable;
import io.tallystick.model.Role;
import io.tallystick.receipt.ReceiptFile;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/// Why the body of a journal is not there any more, or the whole journal. Verified: that an occult
/// in this log names the journal, and that members signed it, an owner and a regulator among them;
/// or that a purge in this log goes beyond the journal, and that members signed it, an owner among
/// them. What an audit shows beyond that: that the regulator had been one for long enough, that all
/// whom the purge affects signed it, and that no owner recalled it.
///
/// @param jsn of the journal whose body was erased
/// @param removal jsn of the journal that erased it
/// @param asked what that journal asks: an {@link Extension.Occult} or an {@link Extension.Purge}
/// @param signers of the removal, ascending by kid
/// @param timeMs of the removal's leaf
/// @param doneMs when all that the removal names was erased on the disk, which is the service's
///   word; empty before
/// @param receipt of the removal, to keep
public record ErasedBody(
    Jsn jsn,
    Jsn removal,
    Extension.Removal asked,
    List<Signer> signers,
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

  /// On what ground, as the signers of an occult said; may be empty, and is so for a purge.
  public String basis() {
    return asked instanceof Extension.Occult occult ? occult.basis() : "";
  }

  /// Whether the signers suffice: one may be an owner, and for an occult another one a regulator.
  public static boolean suffices(Extension.Removal asked, List<Signer> signers) {
    return signers.stream()
        .filter(owner -> owner.mayBe(Role.OWNER))
        .anyMatch(owner ->
            !(asked instanceof Extension.Occult)
                || signers.stream()
                    .anyMatch(other -> !other.equals(owner) && other.mayBe(Role.REGULATOR)));
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "ErasedBody[jsn %s by journal %s at %s, basis %s, signed by %s]",
        jsn,
        removal,
        Printable.time(timeMs),
        Printable.name(Bytes.utf8(basis())),
        signers);
  }
}
