package io.tallystick.crypto.provider;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;

/// A key, a message and a signature of which at least one was changed; by the ways in which
/// libraries are known to differ as well as by chance.
@SuppressWarnings("ArrayRecordComponent") // what a provider is called with, never compared
record Forgery(PublicKey key, byte[] message, byte[] signature) {
  private static final int HALF = 32;
  private static final int WAYS = 12;
  private static final BigInteger ED25519_ORDER =
      BigInteger.TWO.pow(252).add(new BigInteger("27742317777372353535851937790883648493"));
  private static final BigInteger P256_ORDER =
      new BigInteger("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 16);

  /// Numbers and points at the edges, little-endian: 0, 1, −1, the fields' and groups' limits, a
  /// point of order 8 and encodings that are not canonical.
  private static final List<byte[]> EDGES =
      List.of(
          hex("0000000000000000000000000000000000000000000000000000000000000000"),
          hex("0100000000000000000000000000000000000000000000000000000000000000"),
          hex("0100000000000000000000000000000000000000000000000000000000000080"),
          hex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
          hex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"),
          hex("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
          hex("eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
          hex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
          hex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85"),
          hex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010"),
          hex("ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"),
          hex("5125632ffccac2b3f849e17a7ada6fbe0ce6bcffffffffffffffff00000000ff"));

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text);
  }

  static Forgery of(PublicKey key, byte[] message, byte[] signature, SplittableRandom random) {
    byte[] forged = signature.clone();
    byte[] edge = EDGES.get(random.nextInt(EDGES.size())).clone();
    int at = random.nextInt(forged.length);
    switch (random.nextInt(WAYS)) {
      case 0 -> forged[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> forged[at] += (byte) (1 + random.nextInt(255));
      case 2 -> System.arraycopy(edge, 0, forged, 0, HALF);
      case 3 -> System.arraycopy(edge, 0, forged, HALF, HALF);
      case 4 -> forged[HALF - 1] ^= (byte) 0x80;
      case 5 -> forged = withScalar(key.algorithm(), forged, random.nextBoolean());
      case 6 -> random.nextBytes(forged);
      case 7 -> forged = Arrays.copyOf(forged, random.nextInt(2 * forged.length));
      case 8 -> forged = swapped(forged);
      case 9 -> {
        return new Forgery(key, flipped(message, random), signature);
      }
      case 10 -> {
        return new Forgery(withRaw(key, flipped(key.raw(), random)), message, signature);
      }
      default -> {
        byte[] raw = key.raw();
        System.arraycopy(edge, 0, raw, raw.length - HALF, HALF);
        return new Forgery(withRaw(key, raw), message, forged);
      }
    }
    return new Forgery(key, message, forged);
  }

  /// The second number of a signature moved by the order of the group, or, for ES256, its twin.
  private static byte[] withScalar(SignatureAlgorithm algorithm, byte[] signature, boolean twin) {
    byte[] half = Arrays.copyOfRange(signature, HALF, 2 * HALF);
    boolean edwards = algorithm == SignatureAlgorithm.ED25519;
    BigInteger s = new BigInteger(1, edwards ? reversed(half) : half);
    BigInteger order = edwards ? ED25519_ORDER : P256_ORDER;
    BigInteger moved = twin ? order.subtract(s) : order.add(s);
    byte[] bytes = new byte[HALF];
    byte[] number = moved.toByteArray();
    int count = Math.min(HALF, number.length);
    System.arraycopy(number, number.length - count, bytes, HALF - count, count);
    byte[] result = signature.clone();
    System.arraycopy(edwards ? reversed(bytes) : bytes, 0, result, HALF, HALF);
    return result;
  }

  private static byte[] reversed(byte[] bytes) {
    byte[] reversed = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      reversed[i] = bytes[bytes.length - 1 - i];
    }
    return reversed;
  }

  private static byte[] swapped(byte[] signature) {
    byte[] swapped = new byte[signature.length];
    System.arraycopy(signature, 0, swapped, HALF, HALF);
    System.arraycopy(signature, HALF, swapped, 0, HALF);
    return swapped;
  }

  private static byte[] flipped(byte[] bytes, SplittableRandom random) {
    byte[] flipped = bytes.length == 0 ? new byte[1] : bytes.clone();
    // The first byte of a P-256 point is its form, which no SPKI may have otherwise.
    int from = flipped.length == 65 ? 1 : 0;
    flipped[from + random.nextInt(flipped.length - from)] ^= (byte) (1 << random.nextInt(8));
    return flipped;
  }

  private static PublicKey withRaw(PublicKey key, byte[] raw) {
    byte[] spki = key.spki().toArray();
    System.arraycopy(raw, 0, spki, spki.length - raw.length, raw.length);
    try {
      return PublicKey.ofSpki(Bytes.wrap(spki));
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }
}
