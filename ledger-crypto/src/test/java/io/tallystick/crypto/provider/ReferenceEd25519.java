package io.tallystick.crypto.provider;

import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Which Ed25519 signatures the ledger accepts, by the definition: RFC 8032 section 5.1 with the
/// rules of `docs/formats/key.md`. Slow (milliseconds), not constant-time; shares no code with the
/// providers.
public final class ReferenceEd25519 {
  private static final int HALF = 32;
  private static final BigInteger TWO = BigInteger.TWO;
  private static final BigInteger P = TWO.pow(255).subtract(BigInteger.valueOf(19));
  private static final BigInteger L =
      TWO.pow(252).add(new BigInteger("27742317777372353535851937790883648493"));
  private static final BigInteger D =
      BigInteger.valueOf(-121665).multiply(BigInteger.valueOf(121666).modInverse(P)).mod(P);
  private static final BigInteger ROOT_OF_MINUS_ONE =
      TWO.modPow(P.subtract(BigInteger.ONE).shiftRight(2), P);
  private static final Point NEUTRAL = new Point(BigInteger.ZERO, BigInteger.ONE, BigInteger.ONE);
  private static final Point BASE = base();

  private ReferenceEd25519() {}

  /// Projective, x = X / Z and y = Y / Z.
  private record Point(BigInteger x, BigInteger y, BigInteger z) {
    // RFC 8032's curve is complete: one formula for doubling and adding.
    Point plus(Point other) {
      BigInteger a = z.multiply(other.z).mod(P);
      BigInteger b = a.multiply(a).mod(P);
      BigInteger c = x.multiply(other.x).mod(P);
      BigInteger d = y.multiply(other.y).mod(P);
      BigInteger e = D.multiply(c).multiply(d).mod(P);
      BigInteger f = b.subtract(e);
      BigInteger g = b.add(e);
      BigInteger cross = x.add(y).multiply(other.x.add(other.y)).subtract(c).subtract(d);
      return new Point(
          a.multiply(f).multiply(cross).mod(P),
          a.multiply(g).multiply(d.add(c)).mod(P),
          f.multiply(g).mod(P));
    }

    Point times(BigInteger scalar) {
      Point sum = NEUTRAL;
      for (int bit = scalar.bitLength() - 1; bit >= 0; bit--) {
        sum = sum.plus(sum);
        sum = scalar.testBit(bit) ? sum.plus(this) : sum;
      }
      return sum;
    }

    boolean same(Point other) {
      return x.multiply(other.z).subtract(other.x.multiply(z)).mod(P).signum() == 0
          && y.multiply(other.z).subtract(other.y.multiply(z)).mod(P).signum() == 0;
    }
  }

  /// @param key 32 bytes
  public static boolean accepts(byte[] key, byte[] message, byte[] signature) {
    if (key.length != HALF || signature.length != 2 * HALF) {
      return false;
    }
    Point a = decode(key);
    Point r = decode(Arrays.copyOf(signature, HALF));
    BigInteger s = littleEndian(Arrays.copyOfRange(signature, HALF, 2 * HALF));
    if (a == null || r == null || s.compareTo(L) >= 0) {
      return false;
    }
    boolean smallOrder = isOfSmallOrder(a) || isOfSmallOrder(r);
    BigInteger h = challenge(signature, key, message).mod(L);
    return !smallOrder && BASE.times(s).same(r.plus(a.times(h)));
  }

  private static boolean isOfSmallOrder(Point point) {
    return point.times(BigInteger.valueOf(8)).same(NEUTRAL);
  }

  /// The point of its one canonical encoding; null for any other bytes.
  private static @Nullable Point decode(byte[] encoded) {
    boolean odd = encoded[HALF - 1] < 0;
    byte[] masked = encoded.clone();
    masked[HALF - 1] &= 0x7f;
    BigInteger y = littleEndian(masked);
    if (y.compareTo(P) >= 0) {
      return null;
    }
    BigInteger y2 = y.multiply(y);
    BigInteger x2 =
        y2.subtract(BigInteger.ONE).multiply(D.multiply(y2).add(BigInteger.ONE).modInverse(P));
    BigInteger x = x2.mod(P).modPow(P.add(BigInteger.valueOf(3)).shiftRight(3), P);
    if (x.multiply(x).subtract(x2).mod(P).signum() != 0) {
      x = x.multiply(ROOT_OF_MINUS_ONE).mod(P);
    }
    if (x.multiply(x).subtract(x2).mod(P).signum() != 0 || (x.signum() == 0 && odd)) {
      return null;
    }
    return new Point(x.testBit(0) == odd ? x : P.subtract(x), y, BigInteger.ONE);
  }

  private static Point base() {
    byte[] encoded = new byte[HALF];
    Arrays.fill(encoded, (byte) 0x66);
    encoded[0] = 0x58;
    Point base = decode(encoded);
    if (base == null) {
      throw new AssertionError("y = 4/5 is on the curve");
    }
    return base;
  }

  private static BigInteger challenge(byte[] signature, byte[] key, byte[] message) {
    try {
      MessageDigest sha512 = MessageDigest.getInstance("SHA-512");
      sha512.update(signature, 0, HALF);
      sha512.update(key);
      return littleEndian(sha512.digest(message));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-512", e);
    }
  }

  private static BigInteger littleEndian(byte[] bytes) {
    byte[] reversed = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      reversed[i] = bytes[bytes.length - 1 - i];
    }
    return new BigInteger(1, reversed);
  }
}
