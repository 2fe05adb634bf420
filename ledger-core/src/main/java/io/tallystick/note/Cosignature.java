package io.tallystick.note;

import io.tallystick.crypto.Signatures;
import io.tallystick.model.Bytes;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.Utf8;
import java.nio.ByteBuffer;
import java.util.Locale;

/// A witness' word, verified: at this time, the largest consistent head that it knew of the log is
/// the one in the note. Source: C2SP tlog-cosignature, version 1; `docs/formats/checkpoint.md`.
///
/// @param line as it stands in the note
/// @param timeSeconds since the epoch, by the witness' clock
public record Cosignature(WitnessKey witness, NoteSignature line, long timeSeconds) {
  /// The time and an Ed25519 signature.
  static final int BYTES = Long.BYTES + 64;

  /// The message that a witness signs.
  ///
  /// @param text of the note, its last newline included
  public static byte[] message(String text, long timeSeconds) {
    return Utf8.encode("cosignature/v1\ntime " + timeSeconds + '\n' + text);
  }

  /// Whether name and id of a line are those of `witness`.
  static boolean isBy(WitnessKey witness, NoteSignature line) {
    return line.name().equals(witness.name()) && line.keyId().equals(witness.id());
  }

  /// @param line of that witness, by name and id
  /// @throws ProofRejectedException `MALFORMED` if it is no time and signature; `BAD_SIGNATURE`
  public static Cosignature verify(
      String text, NoteSignature line, WitnessKey witness, Signatures signatures)
      throws ProofRejectedException {
    Bytes stamped = line.signature();
    if (stamped.size() != BYTES) {
      throw new ProofRejectedException(
          Reason.MALFORMED,
          String.format(
              Locale.ROOT,
              "cosignature of %s has %d bytes, want %d",
              witness.name(),
              stamped.size(),
              BYTES));
    }
    long timeSeconds = ByteBuffer.wrap(stamped.slice(0, Long.BYTES).toArray()).getLong();
    if (timeSeconds < 0) {
      throw new ProofRejectedException(
          Reason.MALFORMED, "cosignature of " + witness.name() + " with a time above 2^63-1");
    }
    signatures.verify(
        witness.key(),
        message(text, timeSeconds),
        stamped.slice(Long.BYTES, BYTES - Long.BYTES).toArray());
    return new Cosignature(witness, line, timeSeconds);
  }
}
