package io.tallystick.server.keys;

import io.tallystick.crypto.Signatures.Signer;

/// A note key and a receipt key that were made together.
public record ServicePair(Signer noteKey, Signer receiptKey) {
  public ServicePair {
    if (noteKey.publicKey().equals(receiptKey.publicKey())) {
      throw new IllegalArgumentException("note key and receipt key are the same");
    }
  }
}
