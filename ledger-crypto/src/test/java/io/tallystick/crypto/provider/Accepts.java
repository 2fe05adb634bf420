package io.tallystick.crypto.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;

/// A verifier's answer as a value, for comparing providers.
final class Accepts {
  private Accepts() {}

  /// Whether the provider accepts; a refusal must be the documented one.
  static boolean accepts(Signatures provider, PublicKey key, byte[] message, byte[] signature) {
    try {
      provider.verify(key, message, signature);
      return true;
    } catch (ProofRejectedException e) {
      assertThat(e.reason()).isEqualTo(Reason.BAD_SIGNATURE);
      return false;
    }
  }

  static PublicKey ed25519(byte[] raw) {
    try {
      return PublicKey.ofSpki(PublicKey.ed25519Spki(raw));
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }
}
