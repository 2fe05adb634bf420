package io.tallystick.state;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Limits;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.Locale;
import java.util.Optional;

/// A value with what opens its commitment: `[HMAC-SHA-256(salt, "value" ‖ u32 i), value]`. The salt
/// itself is not shown, or a reader of one value could test guesses of the others. Source:
/// `docs/formats/forest.md`.
///
/// @param opening that HMAC
public record StateValue(Digest opening, Bytes value) {
  public Bytes encode() {
    return new CborWriter(48 + value.size()).array(2).digest(opening).bytes(value).toBytes();
  }

  public static StateValue decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array("value", 2);
    Digest opening = in.digest();
    Bytes value = Bytes.wrap(in.bytes("value", Limits.REQUEST_BYTES_MAX));
    in.end();
    return new StateValue(opening, value);
  }

  /// @throws ProofRejectedException with `COMMITMENT_MISMATCH` if this is not the value that the
  ///   entry commits to
  public void verify(StateEntry entry) throws ProofRejectedException {
    boolean fits =
        value.size() == entry.valueSizeBytes() && entry.valueCommit().equals(Optional.of(commit()));
    if (!fits) {
      throw new ProofRejectedException(
          Reason.COMMITMENT_MISMATCH,
          String.format(
              Locale.ROOT,
              "value of %d bytes, key %s holds one of %d bytes and another commitment",
              value.size(),
              entry.key(),
              entry.valueSizeBytes()));
    }
  }

  /// The commitment that it opens.
  public Digest commit() {
    return Commitments.value(opening, value);
  }

  @Override
  public String toString() {
    return "StateValue[" + Printable.brief(value) + "]";
  }
}
