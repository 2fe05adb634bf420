package io.tallystick.crypto.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.bouncycastle.math.ec.rfc8032.Ed25519;
import org.junit.jupiter.api.Test;

/// Goal: verification is cofactorless on every provider. Method: sign as somebody who knows the
/// private scalar but adds points of small order to the key and to R; whether the equation then
/// holds exactly is known from arithmetic modulo 8, without any verifier. An R that is nothing but
/// such a point is refused, also where the equation holds.
class SmallOrderPartsTest {
  private static final int RUNS = 400;
  private static final BigInteger EIGHT = BigInteger.valueOf(8);
  private static final BigInteger ORDER =
      BigInteger.ONE.shiftLeft(252).add(new BigInteger("27742317777372353535851937790883648493"));
  private static final EdwardsPoint BASE =
      EdwardsPoint.decode(
          HexFormat.of()
              .parseHex("5866666666666666666666666666666666666666666666666666666666666666"));
  private static final EdwardsPoint ORDER_EIGHT =
      EdwardsPoint.decode(
          HexFormat.of()
              .parseHex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"));

  @Test
  void everyProviderDemandsTheEquationWithoutCofactor() throws GeneralSecurityException {
    SplittableRandom random = new SplittableRandom(8);
    int exact = 0;
    int onlyBouncyCastleAlone = 0;
    int exactOfSmallOrder = 0;
    for (int run = 0; run < RUNS; run++) {
      Forged forged = forge(random);
      for (Signatures provider : SignatureProviders.all()) {
        assertThat(Accepts.accepts(provider, forged.key, forged.message, forged.signature))
            .as("%s, run %d", provider.providerName(), run)
            .isEqualTo(forged.holds && !forged.nonceOfSmallOrder);
      }
      exact += forged.holds && !forged.nonceOfSmallOrder ? 1 : 0;
      exactOfSmallOrder += forged.holds && forged.nonceOfSmallOrder ? 1 : 0;
      onlyBouncyCastleAlone += !forged.holds && forged.acceptedByBouncyCastle() ? 1 : 0;
    }
    assertThat(exact).as("signatures that hold exactly").isBetween(RUNS / 16, RUNS / 2);
    assertThat(exactOfSmallOrder).as("that hold, R of small order").isPositive();
    // Why the exact equation is computed on top: when this is 0, that work can go.
    assertThat(onlyBouncyCastleAlone).as("accepted by Bouncy Castle alone").isPositive();
  }

  /// A signature over `message` whose equation is off by a point of order dividing 8.
  private static final class Forged {
    final PublicKey key;
    final byte[] message;
    final byte[] signature;
    final boolean holds;
    final boolean nonceOfSmallOrder;

    Forged(
        byte[] rawKey, byte[] message, byte[] signature, boolean holds, boolean nonceOfSmallOrder) {
      this.key = Accepts.ed25519(rawKey);
      this.message = message;
      this.signature = signature;
      this.holds = holds;
      this.nonceOfSmallOrder = nonceOfSmallOrder;
    }

    boolean acceptedByBouncyCastle() {
      return Ed25519.verify(signature, 0, key.raw(), 0, message, 0, message.length);
    }
  }

  /// A = a·B + i·T, R = r·B + j·T, S = r + h·a, with r = 0 now and then: holds exactly when j + h·i
  /// = 0 modulo 8.
  private static Forged forge(SplittableRandom random) throws GeneralSecurityException {
    BigInteger a = scalar(random);
    BigInteger r = random.nextInt(8) == 0 ? BigInteger.ZERO : scalar(random);
    BigInteger i = BigInteger.valueOf(random.nextInt(8));
    BigInteger j = BigInteger.valueOf(random.nextInt(8));
    byte[] key = point(a, i);
    byte[] nonce = point(r, j);
    byte[] message = new byte[20];
    random.nextBytes(message);
    MessageDigest sha512 = MessageDigest.getInstance("SHA-512");
    sha512.update(nonce);
    sha512.update(key);
    BigInteger h = new BigInteger(1, reversed(sha512.digest(message))).mod(ORDER);
    BigInteger s = r.add(h.multiply(a)).mod(ORDER);
    byte[] signature = Arrays.copyOf(nonce, 64);
    System.arraycopy(littleEndian(s), 0, signature, 32, 32);
    boolean holds = j.add(h.multiply(i)).mod(EIGHT).signum() == 0;
    return new Forged(key, message, signature, holds, r.signum() == 0);
  }

  private static BigInteger scalar(SplittableRandom random) {
    byte[] bytes = new byte[32];
    random.nextBytes(bytes);
    return new BigInteger(1, bytes).mod(ORDER);
  }

  private static byte[] point(BigInteger scalar, BigInteger torsion) {
    EdwardsPoint sum = multiple(BASE, scalar);
    sum.add(multiple(ORDER_EIGHT, torsion));
    return sum.encode();
  }

  private static EdwardsPoint multiple(EdwardsPoint point, BigInteger scalar) {
    EdwardsPoint sum = EdwardsPoint.neutral();
    for (int bit = scalar.bitLength() - 1; bit >= 0; bit--) {
      sum.twice();
      if (scalar.testBit(bit)) {
        sum.add(point);
      }
    }
    return sum;
  }

  private static byte[] littleEndian(BigInteger value) {
    byte[] bytes = new byte[32];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = value.shiftRight(8 * i).byteValue();
    }
    return bytes;
  }

  private static byte[] reversed(byte[] bytes) {
    byte[] reversed = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      reversed[i] = bytes[bytes.length - 1 - i];
    }
    return reversed;
  }
}
