package io.tallystick.crypto.provider;

import io.tallystick.model.ProofRejectedException;
import java.math.BigInteger;
import java.util.Arrays;
import org.bouncycastle.crypto.ec.CustomNamedCurves;
import org.bouncycastle.crypto.params.ECDomainParameters;
import org.bouncycastle.math.ec.ECPoint;
import org.bouncycastle.math.ec.FixedPointCombMultiplier;

/// The curve of ES256 (NIST P-256) and the range checks on its numbers, all 32 bytes big-endian.
final class P256 {
  static final int SCALAR_BYTES = 32;
  static final ECDomainParameters DOMAIN =
      new ECDomainParameters(CustomNamedCurves.getByName("P-256"));

  private P256() {}

  /// The point of an uncompressed encoding, 65 bytes.
  ///
  /// @throws ProofRejectedException with `WRONG_KEY` if it is not on the curve
  static ECPoint requireOnCurve(byte[] uncompressed) throws ProofRejectedException {
    try {
      // Refuses coordinates that are not below the field's prime as well.
      return DOMAIN.validatePublicPoint(DOMAIN.getCurve().decodePoint(uncompressed));
    } catch (IllegalArgumentException e) {
      throw AcceptSet.wrongKey("P-256 key is not on the curve: " + e.getMessage());
    }
  }

  /// @throws ProofRejectedException with `BAD_SIGNATURE` unless the number at `offset` is 1 to n −
  ///   1
  static void requireScalar(byte[] bytes, int offset, String name) throws ProofRejectedException {
    if (!isScalar(scalar(bytes, offset))) {
      throw AcceptSet.badSignature(name + " is not from 1 to n - 1");
    }
  }

  static boolean isScalar(BigInteger value) {
    return value.signum() > 0 && value.compareTo(DOMAIN.getN()) < 0;
  }

  static BigInteger scalar(byte[] bytes, int offset) {
    return new BigInteger(1, bytes, offset, SCALAR_BYTES);
  }

  /// The uncompressed public point, 65 bytes, of a private scalar.
  static byte[] publicPoint(BigInteger secret) {
    return new FixedPointCombMultiplier().multiply(DOMAIN.getG(), secret).getEncoded(false);
  }

  /// r ‖ s, 64 bytes.
  static byte[] joined(BigInteger r, BigInteger s) {
    byte[] joined = new byte[2 * SCALAR_BYTES];
    writeUnsigned(r, joined, 0);
    writeUnsigned(s, joined, SCALAR_BYTES);
    return joined;
  }

  private static void writeUnsigned(BigInteger value, byte[] target, int offset) {
    byte[] bytes = value.toByteArray();
    int sign = bytes.length > SCALAR_BYTES ? bytes.length - SCALAR_BYTES : 0;
    int length = bytes.length - sign;
    System.arraycopy(bytes, sign, target, offset + SCALAR_BYTES - length, length);
    Arrays.fill(bytes, (byte) 0);
  }
}
