package io.tallystick.crypto.provider;

import java.security.PrivateKey;
import java.security.PublicKey;

/// Ed25519 keys as their encodings and no more. ACCP registers no Ed25519 key factory unless a
/// system property says so, but takes any JCA key by its encoding.
final class EncodedKey {
  private static final String ALGORITHM = "EdDSA";

  private EncodedKey() {}

  /// An SPKI.
  static final class Public implements PublicKey {
    private static final long serialVersionUID = 1;

    private final byte[] spki;

    /// Takes ownership of `spki`.
    Public(byte[] spki) {
      this.spki = spki;
    }

    @Override
    public String getAlgorithm() {
      return ALGORITHM;
    }

    @Override
    public String getFormat() {
      return "X.509";
    }

    @Override
    public byte[] getEncoded() {
      return spki.clone();
    }
  }

  /// A PKCS#8 private key.
  static final class Private implements PrivateKey {
    private static final long serialVersionUID = 1;

    private final transient byte[] pkcs8;

    /// Takes ownership of `pkcs8`.
    Private(byte[] pkcs8) {
      this.pkcs8 = pkcs8;
    }

    @Override
    public String getAlgorithm() {
      return ALGORITHM;
    }

    @Override
    public String getFormat() {
      return "PKCS#8";
    }

    @Override
    public byte[] getEncoded() {
      return pkcs8.clone();
    }
  }
}
