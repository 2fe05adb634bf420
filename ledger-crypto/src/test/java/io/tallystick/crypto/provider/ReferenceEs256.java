package io.tallystick.crypto.provider;

import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Which ES256 signatures the ledger accepts, by the definition: FIPS 186-5 section 6.4.2 on P-256
/// with SHA-256, r ‖ s, both s. Slow (milliseconds), not constant-time; shares no code with the
/// providers.
public final class ReferenceEs256 {
  private static final int HALF = 32;
  private static final int KEY_BYTES = 65;
  private static final BigInteger P =
      hex("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff");
  private static final BigInteger N =
      hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");
  private static final BigInteger B =
      hex("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b");
  private static final BigInteger THREE = BigInteger.valueOf(3);
  private static final Point G =
      new Point(
          hex("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"),
          hex("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"),
          BigInteger.ONE);
  private static final Point INFINITY = new Point(BigInteger.ONE, BigInteger.ONE, BigInteger.ZERO);

  private ReferenceEs256() {}

  /// Jacobian, x = X / Z² and y = Y / Z³; Z is 0 at infinity.
  private record Point(BigInteger x, BigInteger y, BigInteger z) {
    Point doubled() {
      if (z.signum() == 0 || y.signum() == 0) {
        return INFINITY;
      }
      BigInteger z2 = z.multiply(z).mod(P);
      BigInteger y2 = y.multiply(y).mod(P);
      BigInteger s = x.multiply(y2).shiftLeft(2).mod(P);
      BigInteger m = THREE.multiply(x.subtract(z2)).multiply(x.add(z2)).mod(P);
      BigInteger newX = m.multiply(m).subtract(s.shiftLeft(1)).mod(P);
      BigInteger newY = m.multiply(s.subtract(newX)).subtract(y2.multiply(y2).shiftLeft(3)).mod(P);
      return new Point(newX, newY, y.multiply(z).shiftLeft(1).mod(P));
    }

    Point plus(Point other) {
      if (z.signum() == 0) {
        return other;
      }
      if (other.z.signum() == 0) {
        return this;
      }
      BigInteger z1 = z.multiply(z).mod(P);
      BigInteger z2 = other.z.multiply(other.z).mod(P);
      BigInteger u = x.multiply(z2).mod(P);
      BigInteger h = other.x.multiply(z1).subtract(u).mod(P);
      BigInteger s = y.multiply(z2).multiply(other.z).mod(P);
      BigInteger r = other.y.multiply(z1).multiply(z).subtract(s).mod(P);
      if (h.signum() == 0) {
        return r.signum() == 0 ? doubled() : INFINITY;
      }
      BigInteger h2 = h.multiply(h).mod(P);
      BigInteger h3 = h2.multiply(h).mod(P);
      BigInteger v = u.multiply(h2).mod(P);
      BigInteger newX = r.multiply(r).subtract(h3).subtract(v.shiftLeft(1)).mod(P);
      BigInteger newY = r.multiply(v.subtract(newX)).subtract(s.multiply(h3)).mod(P);
      return new Point(newX, newY, h.multiply(z).multiply(other.z).mod(P));
    }

    Point times(BigInteger scalar) {
      Point sum = INFINITY;
      for (int bit = scalar.bitLength() - 1; bit >= 0; bit--) {
        sum = sum.doubled();
        sum = scalar.testBit(bit) ? sum.plus(this) : sum;
      }
      return sum;
    }

    BigInteger affineX() {
      return x.multiply(z.multiply(z).modInverse(P)).mod(P);
    }
  }

  /// @param key 0x04 ‖ X ‖ Y
  public static boolean accepts(byte[] key, byte[] message, byte[] signature) {
    Point q = decode(key);
    if (q == null || signature.length != 2 * HALF) {
      return false;
    }
    BigInteger r = new BigInteger(1, Arrays.copyOf(signature, HALF));
    BigInteger s = new BigInteger(1, Arrays.copyOfRange(signature, HALF, 2 * HALF));
    if (isOutOfRange(r) || isOutOfRange(s)) {
      return false;
    }
    BigInteger inverse = s.modInverse(N);
    Point sum =
        G.times(hash(message).multiply(inverse).mod(N)).plus(q.times(r.multiply(inverse).mod(N)));
    return sum.z.signum() != 0 && sum.affineX().mod(N).equals(r);
  }

  private static boolean isOutOfRange(BigInteger value) {
    return value.signum() == 0 || value.compareTo(N) >= 0;
  }

  private static @Nullable Point decode(byte[] key) {
    if (key.length != KEY_BYTES || key[0] != 4) {
      return null;
    }
    BigInteger x = new BigInteger(1, Arrays.copyOfRange(key, 1, 1 + HALF));
    BigInteger y = new BigInteger(1, Arrays.copyOfRange(key, 1 + HALF, KEY_BYTES));
    BigInteger right = x.pow(3).subtract(THREE.multiply(x)).add(B).mod(P);
    boolean onCurve = y.multiply(y).mod(P).equals(right);
    return x.compareTo(P) < 0 && y.compareTo(P) < 0 && onCurve
        ? new Point(x, y, BigInteger.ONE)
        : null;
  }

  private static BigInteger hash(byte[] message) {
    try {
      return new BigInteger(1, MessageDigest.getInstance("SHA-256").digest(message));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  private static BigInteger hex(String text) {
    return new BigInteger(text, 16);
  }
}
