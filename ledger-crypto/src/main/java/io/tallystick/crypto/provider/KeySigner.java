package io.tallystick.crypto.provider;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures.ExportableSigner;
import java.util.function.UnaryOperator;

/// A private key and the provider's way of signing with it.
final class KeySigner implements ExportableSigner {
  private final SecretKey secret;
  private final UnaryOperator<byte[]> signing;

  KeySigner(SecretKey secret, UnaryOperator<byte[]> signing) {
    this.secret = secret;
    this.signing = signing;
  }

  @Override
  public PublicKey publicKey() {
    return secret.publicKey();
  }

  @Override
  public byte[] sign(byte[] message) {
    return signing.apply(message);
  }

  @Override
  public byte[] exportPkcs8() {
    return Pkcs8.encode(secret);
  }

  @Override
  public String toString() {
    return "signer of kid " + publicKey().kid();
  }
}
