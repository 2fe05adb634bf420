package io.tallystick.crypto.provider;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import org.bouncycastle.math.ec.rfc8032.Ed25519;

/// A private key as its 32 bytes, Ed25519's seed or P-256's scalar (big-endian), with the public
/// key derived from it.
final class SecretKey {
  static final int BYTES = 32;

  private static final byte[] P256_SPKI_PREFIX =
      HexFormat.of().parseHex("3059301306072a8648ce3d020106082a8648ce3d030107034200");

  private final byte[] secret;
  private final PublicKey publicKey;

  private SecretKey(byte[] secret, PublicKey publicKey) {
    this.secret = secret;
    this.publicKey = publicKey;
  }

  /// Takes ownership of `secret`.
  ///
  /// @throws MalformedException if a P-256 scalar is not from 1 to n − 1
  static SecretKey of(SignatureAlgorithm algorithm, byte[] secret) throws MalformedException {
    Bytes spki =
        switch (algorithm) {
          case ED25519 -> ed25519Spki(secret);
          case ES256 -> p256Spki(secret);
        };
    return new SecretKey(secret, PublicKey.ofSpki(spki));
  }

  static SecretKey generate(SignatureAlgorithm algorithm, SecureRandom random) {
    byte[] secret = new byte[BYTES];
    do {
      random.nextBytes(secret);
    } while (algorithm == SignatureAlgorithm.ES256 && !P256.isScalar(P256.scalar(secret, 0)));
    try {
      return of(algorithm, secret);
    } catch (MalformedException e) {
      throw new AssertionError("a fresh secret is in range", e);
    }
  }

  PublicKey publicKey() {
    return publicKey;
  }

  SignatureAlgorithm algorithm() {
    return publicKey.algorithm();
  }

  /// The secret bytes themselves, not a copy; not to be written to.
  byte[] secret() {
    return secret;
  }

  private static Bytes ed25519Spki(byte[] seed) {
    byte[] raw = new byte[Ed25519.PUBLIC_KEY_SIZE];
    Ed25519.generatePublicKey(seed, 0, raw, 0);
    return PublicKey.ed25519Spki(raw);
  }

  private static Bytes p256Spki(byte[] secret) throws MalformedException {
    BigInteger scalar = P256.scalar(secret, 0);
    if (!P256.isScalar(scalar)) {
      throw new MalformedException("P-256 private key is not from 1 to n - 1");
    }
    byte[] point = P256.publicPoint(scalar);
    byte[] spki = Arrays.copyOf(P256_SPKI_PREFIX, P256_SPKI_PREFIX.length + point.length);
    System.arraycopy(point, 0, spki, P256_SPKI_PREFIX.length, point.length);
    return Bytes.wrap(spki);
  }
}
