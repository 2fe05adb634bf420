package io.tallystick.crypto;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.util.Arrays;
import java.util.HexFormat;

/// A member's or service's public key as its SPKI (RFC 8410, or P-256 named curve, uncompressed),
/// with its kid = SHA-256(SPKI). Construction checks the fixed DER prefix and length only; whether
/// the point is allowed is {@link Signatures#checkKey}.
public record PublicKey(SignatureAlgorithm algorithm, Bytes spki, Digest kid) {
  private static final byte[] ED25519_PREFIX = HexFormat.of().parseHex("302a300506032b6570032100");
  private static final byte[] P256_PREFIX =
      HexFormat.of().parseHex("3059301306072a8648ce3d020106082a8648ce3d03010703420004");

  public PublicKey {
    if (!kid.equals(Sha256.hash(spki.unsafeArray()))) {
      throw new IllegalArgumentException("kid is not SHA-256 of the SPKI");
    }
  }

  /// @throws MalformedException unless `spki` is 44 bytes of Ed25519 or 91 bytes of P-256
  public static PublicKey ofSpki(Bytes spki) throws MalformedException {
    byte[] der = spki.unsafeArray();
    SignatureAlgorithm algorithm;
    if (hasForm(der, ED25519_PREFIX, SignatureAlgorithm.ED25519)) {
      algorithm = SignatureAlgorithm.ED25519;
    } else if (hasForm(der, P256_PREFIX, SignatureAlgorithm.ES256)) {
      algorithm = SignatureAlgorithm.ES256;
    } else {
      throw new MalformedException(
          "SPKI of " + der.length + " bytes is neither Ed25519 (44) nor P-256 uncompressed (91)");
    }
    return new PublicKey(algorithm, spki, Sha256.hash(der));
  }

  /// The SPKI of a raw 32-byte Ed25519 public key.
  public static Bytes ed25519Spki(byte[] raw) {
    byte[] der = Arrays.copyOf(ED25519_PREFIX, SignatureAlgorithm.ED25519.spkiBytes());
    System.arraycopy(raw, 0, der, ED25519_PREFIX.length, 32);
    return Bytes.wrap(der);
  }

  /// The raw key: 32 bytes for Ed25519, 65 (0x04 ‖ X ‖ Y) for P-256.
  public byte[] raw() {
    int prefix =
        algorithm == SignatureAlgorithm.ED25519 ? ED25519_PREFIX.length : P256_PREFIX.length - 1;
    return Arrays.copyOfRange(spki.unsafeArray(), prefix, spki.size());
  }

  private static boolean hasForm(byte[] der, byte[] prefix, SignatureAlgorithm algorithm) {
    return der.length == algorithm.spkiBytes()
        && Arrays.equals(der, 0, prefix.length, prefix, 0, prefix.length);
  }
}
