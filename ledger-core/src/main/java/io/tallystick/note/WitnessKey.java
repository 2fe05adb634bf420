package io.tallystick.note;

import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;

/// A witness' verifying key: a name and an Ed25519 key that makes cosignatures of version 1, and
/// nothing else. Source: C2SP tlog-cosignature.
public record WitnessKey(String name, PublicKey key) {
  private static final byte COSIGNATURE_V1 = 4;

  public WitnessKey {
    VerifierText.check(name, key);
  }

  /// SHA-256(name ‖ 0x0A ‖ 0x04 ‖ public key), its first four bytes; an identifier, no protection.
  public Bytes id() {
    return VerifierText.id(name, COSIGNATURE_V1, key);
  }

  /// The verifier key's text as foreign tools take it: name "+" hex(id) "+" base64(0x04 ‖ key).
  public String vkey() {
    return VerifierText.of(name, COSIGNATURE_V1, key);
  }

  /// Parses a verifier key's text; the inverse of {@link #vkey}.
  ///
  /// @throws MalformedException if it is none, or of another type than cosignature/v1
  public static WitnessKey parse(String vkey) throws MalformedException {
    VerifierText.Parsed parsed = VerifierText.parse(vkey, COSIGNATURE_V1, "cosignature/v1");
    return new WitnessKey(parsed.name(), parsed.key());
  }
}
