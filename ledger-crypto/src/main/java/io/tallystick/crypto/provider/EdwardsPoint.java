package io.tallystick.crypto.provider;

import org.bouncycastle.math.ec.rfc7748.X25519Field;

/// A point of edwards25519 in extended coordinates (X : Y : Z : T), x = X/Z, y = Y/Z, xy = T/Z,
/// with the complete formulas of RFC 8032 section 5.1.4 over Bouncy Castle's field arithmetic. Sums
/// are carried before they are multiplied. Variable time, for public values only; mutable.
final class EdwardsPoint {
  private static final int ENCODED_BYTES = 32;

  /// −121665 and 121666, whose quotient is d.
  private static final int D_NUMERATOR = 121_665;

  private static final int D_DENOMINATOR = 121_666;
  private static final int[] D = curveConstant();
  private static final int[] TWICE_D = sum(D, D);

  private final int[] x = X25519Field.create();
  private final int[] y = X25519Field.create();
  private final int[] z = X25519Field.create();
  private final int[] t = X25519Field.create();

  private EdwardsPoint() {}

  static EdwardsPoint neutral() {
    EdwardsPoint point = new EdwardsPoint();
    X25519Field.one(point.y);
    X25519Field.one(point.z);
    return point;
  }

  /// @param encoded a canonical encoding, 32 bytes
  /// @throws IllegalArgumentException if there is no such point
  static EdwardsPoint decode(byte[] encoded) {
    EdwardsPoint point = neutral();
    X25519Field.decode255(encoded, point.y);
    int[] ySquare = product(point.y, point.y);
    int[] one = X25519Field.create();
    X25519Field.one(one);
    int[] numerator = difference(ySquare, one);
    int[] denominator = sum(product(D, ySquare), one);
    if (!X25519Field.sqrtRatioVar(numerator, denominator, point.x)) {
      throw new IllegalArgumentException("not on the curve");
    }
    X25519Field.normalize(point.x);
    int sign = (encoded[ENCODED_BYTES - 1] & 0x80) >>> 7;
    if ((point.x[0] & 1) != sign) {
      X25519Field.negate(point.x, point.x);
      X25519Field.carry(point.x);
    }
    X25519Field.mul(point.x, point.y, point.t);
    return point;
  }

  EdwardsPoint negated() {
    EdwardsPoint point = copy();
    X25519Field.negate(x, point.x);
    X25519Field.carry(point.x);
    X25519Field.negate(t, point.t);
    X25519Field.carry(point.t);
    return point;
  }

  /// 1, 3, 5, … times this point.
  EdwardsPoint[] oddMultiples(int count) {
    EdwardsPoint twice = copy();
    twice.twice();
    EdwardsPoint[] multiples = new EdwardsPoint[count];
    multiples[0] = copy();
    for (int i = 1; i < count; i++) {
      multiples[i] = multiples[i - 1].copy();
      multiples[i].add(twice);
    }
    return multiples;
  }

  /// Adds `digit` times the point whose odd multiples are given; the digit is 0 or odd.
  void addMultiple(EdwardsPoint[] oddMultiples, int digit) {
    if (digit > 0) {
      add(oddMultiples[digit >>> 1]);
    } else if (digit < 0) {
      add(oddMultiples[-digit >>> 1].negated());
    }
  }

  void add(EdwardsPoint other) {
    int[] a = product(difference(y, x), difference(other.y, other.x));
    int[] b = product(sum(y, x), sum(other.y, other.x));
    int[] c = product(product(t, TWICE_D), other.t);
    int[] zz = product(z, other.z);
    int[] d = sum(zz, zz);
    assign(difference(b, a), difference(d, c), sum(d, c), sum(b, a));
  }

  void twice() {
    int[] a = product(x, x);
    int[] b = product(y, y);
    int[] zz = product(z, z);
    int[] c = sum(zz, zz);
    int[] h = sum(a, b);
    int[] both = sum(x, y);
    int[] e = difference(h, product(both, both));
    int[] g = difference(a, b);
    assign(e, sum(c, g), g, h);
  }

  /// X = E·F, Y = G·H, Z = F·G, T = E·H.
  private void assign(int[] e, int[] f, int[] g, int[] h) {
    X25519Field.mul(e, f, x);
    X25519Field.mul(g, h, y);
    X25519Field.mul(f, g, z);
    X25519Field.mul(e, h, t);
  }

  byte[] encode() {
    int[] inverse = X25519Field.create();
    X25519Field.invVar(z, inverse);
    int[] affineX = product(x, inverse);
    int[] affineY = product(y, inverse);
    X25519Field.normalize(affineX);
    X25519Field.normalize(affineY);
    byte[] encoded = new byte[ENCODED_BYTES];
    X25519Field.encode(affineY, encoded);
    encoded[ENCODED_BYTES - 1] |= (byte) ((affineX[0] & 1) << 7);
    return encoded;
  }

  private EdwardsPoint copy() {
    EdwardsPoint point = new EdwardsPoint();
    X25519Field.copy(x, 0, point.x, 0);
    X25519Field.copy(y, 0, point.y, 0);
    X25519Field.copy(z, 0, point.z, 0);
    X25519Field.copy(t, 0, point.t, 0);
    return point;
  }

  private static int[] curveConstant() {
    int[] numerator = X25519Field.create();
    numerator[0] = D_NUMERATOR;
    X25519Field.negate(numerator, numerator);
    int[] denominator = X25519Field.create();
    denominator[0] = D_DENOMINATOR;
    int[] inverse = X25519Field.create();
    X25519Field.invVar(denominator, inverse);
    return product(numerator, inverse);
  }

  private static int[] product(int[] a, int[] b) {
    int[] result = X25519Field.create();
    X25519Field.mul(a, b, result);
    return result;
  }

  private static int[] sum(int[] a, int[] b) {
    int[] result = X25519Field.create();
    X25519Field.add(a, b, result);
    X25519Field.carry(result);
    return result;
  }

  private static int[] difference(int[] a, int[] b) {
    int[] result = X25519Field.create();
    X25519Field.sub(a, b, result);
    X25519Field.carry(result);
    return result;
  }
}
