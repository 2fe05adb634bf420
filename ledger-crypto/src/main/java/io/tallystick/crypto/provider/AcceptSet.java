package io.tallystick.crypto.provider;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.bouncycastle.math.ec.rfc8032.Ed25519;

/// Which keys and signatures are looked at in the first place; what passes here goes to a provider
/// for the equation itself. Source: `docs/formats/key.md`; the edge cases are those of "Taming the
/// many EdDSAs" (Chalkias, Garillot, Nikolaenko, 2020).
///
/// An Ed25519 point is 32 bytes, y in little-endian order with the sign of x in the top bit. It is
/// canonical when y < p and, where x is 0 (y = 1 or y = −1), the sign bit is 0. The eight points of
/// small order have exactly eight canonical encodings, {@link #SMALL_ORDER}.
final class AcceptSet {
  static final int SIGNATURE_BYTES = 64;

  private static final int HALF = 32;

  /// p = 2²⁵⁵ − 19, little-endian.
  private static final byte[] FIELD_PRIME =
      hex("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f");

  /// L = 2²⁵² + 27742317777372353535851937790883648493, little-endian.
  private static final byte[] GROUP_ORDER =
      hex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");

  private static final byte[] Y_ONE =
      hex("0100000000000000000000000000000000000000000000000000000000000000");
  private static final byte[] Y_MINUS_ONE =
      hex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f");

  /// The y of every point whose order divides 8: order 1, 2, 4 (twice, by sign), 8 (four times).
  private static final List<byte[]> SMALL_ORDER =
      List.of(
          Y_ONE,
          Y_MINUS_ONE,
          hex("0000000000000000000000000000000000000000000000000000000000000000"),
          hex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
          hex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"));

  private AcceptSet() {}

  /// @throws ProofRejectedException with `WRONG_KEY`
  static void checkKey(PublicKey key) throws ProofRejectedException {
    byte[] raw = key.raw();
    if (key.algorithm() == SignatureAlgorithm.ES256) {
      P256.requireOnCurve(raw);
      return;
    }
    if (!isCanonicalPoint(raw, 0)) {
      throw wrongKey("Ed25519 key is not in its canonical encoding");
    }
    if (isSmallOrder(raw, 0)) {
      throw wrongKey("Ed25519 key is of small order");
    }
    if (!Ed25519.validatePublicKeyPartial(raw, 0)) {
      throw wrongKey("Ed25519 key is not on the curve");
    }
  }

  /// @throws ProofRejectedException with `BAD_SIGNATURE` when no provider needs to be asked
  static void checkSignature(SignatureAlgorithm algorithm, byte[] signature)
      throws ProofRejectedException {
    if (signature.length != SIGNATURE_BYTES) {
      throw badSignature(signature.length + " bytes, want " + SIGNATURE_BYTES);
    }
    if (algorithm == SignatureAlgorithm.ES256) {
      P256.requireScalar(signature, 0, "r");
      P256.requireScalar(signature, HALF, "s");
      return;
    }
    if (!isBelow(signature, HALF, GROUP_ORDER, 0xff)) {
      throw badSignature("S is not below the group order");
    }
    if (!isCanonicalPoint(signature, 0)) {
      throw badSignature("R is not in its canonical encoding");
    }
    if (isSmallOrder(signature, 0)) {
      throw badSignature("R is of small order");
    }
  }

  private static boolean isCanonicalPoint(byte[] encoded, int offset) {
    if (!isBelow(encoded, offset, FIELD_PRIME, 0x7f)) {
      return false;
    }
    boolean negative = (encoded[offset + HALF - 1] & 0x80) != 0;
    return !negative || !(hasY(encoded, offset, Y_ONE) || hasY(encoded, offset, Y_MINUS_ONE));
  }

  private static boolean isSmallOrder(byte[] encoded, int offset) {
    for (byte[] y : SMALL_ORDER) {
      if (hasY(encoded, offset, y)) {
        return true;
      }
    }
    return false;
  }

  /// Whether the point's y is `y`, whatever the sign of its x.
  private static boolean hasY(byte[] encoded, int offset, byte[] y) {
    int last = HALF - 1;
    return Arrays.equals(encoded, offset, offset + last, y, 0, last)
        && (encoded[offset + last] & 0x7f) == y[last];
  }

  /// Whether the little-endian number at `offset`, its top byte masked, is below `limit`.
  private static boolean isBelow(byte[] number, int offset, byte[] limit, int topMask) {
    for (int i = HALF - 1; i >= 0; i--) {
      int mask = i == HALF - 1 ? topMask : 0xff;
      int order = Integer.compare(number[offset + i] & mask, limit[i] & 0xff);
      if (order != 0) {
        return order < 0;
      }
    }
    return false;
  }

  static ProofRejectedException wrongKey(String detail) {
    return new ProofRejectedException(Reason.WRONG_KEY, detail);
  }

  static ProofRejectedException badSignature(String detail) {
    return new ProofRejectedException(Reason.BAD_SIGNATURE, detail);
  }

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text);
  }
}
