package io.tallystick.crypto.provider;

import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/// Ed25519's verification equation exactly as the accept set wants it, for one key: encode(S·B −
/// h·A) = R as bytes, with h = SHA-512(R ‖ A ‖ M) reduced modulo L. No multiple of it is checked,
/// so parts of small order count in a key and in R. Only public values pass through; not
/// constant-time. Thread-safe.
///
/// Method: Straus' double scalar multiplication with signed sliding windows.
final class Ed25519Equation {
  private static final int HALF = 32;
  private static final int SCALAR_BITS = 256;
  private static final int KEY_WINDOW = 5;
  private static final int BASE_WINDOW = 7;
  private static final BigInteger ORDER =
      BigInteger.ONE.shiftLeft(252).add(new BigInteger("27742317777372353535851937790883648493"));
  private static final byte[] BASE_ENCODED = basePoint();
  private static final EdwardsPoint[] BASE_MULTIPLES =
      EdwardsPoint.decode(BASE_ENCODED).oddMultiples(1 << (BASE_WINDOW - 2));

  private final byte[] key;
  private final EdwardsPoint[] negatedKeyMultiples;

  /// @param key a canonical encoding of a point on the curve, 32 bytes
  Ed25519Equation(byte[] key) {
    this.key = key.clone();
    this.negatedKeyMultiples =
        EdwardsPoint.decode(key).negated().oddMultiples(1 << (KEY_WINDOW - 2));
  }

  boolean holds(byte[] message, byte[] signature) {
    byte[] h = challenge(message, signature);
    byte[] s = windows(littleEndian(signature, HALF, HALF), BASE_WINDOW);
    byte[] k = windows(littleEndian(h, 0, h.length).mod(ORDER), KEY_WINDOW);
    EdwardsPoint sum = EdwardsPoint.neutral();
    for (int bit = SCALAR_BITS; bit >= 0; bit--) {
      sum.twice();
      sum.addMultiple(BASE_MULTIPLES, s[bit]);
      sum.addMultiple(negatedKeyMultiples, k[bit]);
    }
    return Arrays.equals(sum.encode(), 0, HALF, signature, 0, HALF);
  }

  private byte[] challenge(byte[] message, byte[] signature) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-512");
      digest.update(signature, 0, HALF);
      digest.update(key);
      return digest.digest(message);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-512", e);
    }
  }

  /// The scalar as digits 0 or odd, below 2^(width − 1) in size, by bit position: the sum of digit
  /// `i` times 2^i is the scalar (wNAF).
  private static byte[] windows(BigInteger scalar, int width) {
    byte[] digits = new byte[SCALAR_BITS + 1];
    BigInteger rest = scalar;
    int full = 1 << width;
    for (int bit = 0; rest.signum() != 0; ) {
      int zeros = rest.getLowestSetBit();
      rest = rest.shiftRight(zeros);
      bit += zeros;
      int digit = rest.intValue() & (full - 1);
      digit = digit >= full / 2 ? digit - full : digit;
      digits[bit] = (byte) digit;
      rest = rest.subtract(BigInteger.valueOf(digit));
    }
    return digits;
  }

  private static BigInteger littleEndian(byte[] bytes, int offset, int length) {
    byte[] reversed = new byte[length];
    for (int i = 0; i < length; i++) {
      reversed[i] = bytes[offset + length - 1 - i];
    }
    return new BigInteger(1, reversed);
  }

  private static byte[] basePoint() {
    byte[] encoded = new byte[HALF];
    Arrays.fill(encoded, (byte) 0x66); // y = 4/5
    encoded[0] = 0x58;
    return encoded;
  }
}
