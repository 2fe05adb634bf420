package io.tallystick.head;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.Authority;
import io.tallystick.model.TreeSize;

/// The two keys by which a service signs heads, as its genesis names them. A head is judged by the
/// key valid for its signed size; while keys cannot be rotated that is the same key for all.
public record ServiceKeys(Authority authority, PublicKey noteKey, PublicKey receiptKey) {
  public ServiceKeys {
    checkAlgorithm("note key", noteKey);
    checkAlgorithm("receipt key", receiptKey);
    if (noteKey.equals(receiptKey)) {
      throw new IllegalArgumentException("note key and receipt key are the same");
    }
  }

  /// The key of the checkpoint that states a tree of `size`.
  public PublicKey noteKey(TreeSize size) {
    return noteKey;
  }

  /// The key of the receipts under a tree of `size`.
  public PublicKey receiptKey(TreeSize size) {
    return receiptKey;
  }

  private static void checkAlgorithm(String name, PublicKey key) {
    if (key.algorithm() != SignatureAlgorithm.ED25519) {
      throw new IllegalArgumentException(name + " is " + key.algorithm() + ", want ED25519");
    }
  }
}
