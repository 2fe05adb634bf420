package io.tallystick.crypto.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/// Goal: a signature has one length and its numbers one range, on every provider. Method: good
/// signatures whose numbers are moved by the group order, which leaves the equations true, and the
/// edges of the ranges.
class SignatureBoundsTest {
  private static final byte[] MESSAGE = {7};
  private static final BigInteger L =
      BigInteger.ONE.shiftLeft(252).add(new BigInteger("27742317777372353535851937790883648493"));
  private static final BigInteger N = P256.DOMAIN.getN();

  private final Signer edwards = signer(SignatureAlgorithm.ED25519);
  private final Signer p256 = signer(SignatureAlgorithm.ES256);

  private static Signer signer(SignatureAlgorithm algorithm) {
    return SignatureProviders.best().generate(algorithm);
  }

  @Test
  void refusesEveryLengthBut64() {
    for (Signer signer : new Signer[] {edwards, p256}) {
      byte[] good = signer.sign(MESSAGE);
      allAnswer(true, signer, good);
      for (int length = 0; length <= 72; length++) {
        if (length != good.length) {
          allAnswer(false, signer, Arrays.copyOf(good, length));
        }
      }
    }
  }

  @Test
  void refusesAnEd25519ScalarNotBelowTheGroupOrder() {
    byte[] good = edwards.sign(MESSAGE);
    BigInteger s = new BigInteger(1, reversed(Arrays.copyOfRange(good, 32, 64)));
    for (int times = 1; times <= 15; times++) {
      allAnswer(false, edwards, withS(good, s.add(L.multiply(BigInteger.valueOf(times)))));
    }
    allAnswer(false, edwards, withS(good, L));
    allAnswer(false, edwards, withS(good, BigInteger.ZERO));
  }

  @Test
  void refusesANonceNotInItsCanonicalEncoding() {
    byte[] good = edwards.sign(MESSAGE);
    for (String r :
        new String[] {
          "0100000000000000000000000000000000000000000000000000000000000080",
          "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
          "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
          "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
        }) {
      byte[] changed = good.clone();
      System.arraycopy(HexFormat.of().parseHex(r), 0, changed, 0, 32);
      allAnswer(false, edwards, changed);
    }
  }

  @Test
  void refusesEs256NumbersOutOfRange() {
    byte[] good = p256.sign(MESSAGE);
    BigInteger r = P256.scalar(good, 0);
    BigInteger s = P256.scalar(good, 32);
    BigInteger top = BigInteger.ONE.shiftLeft(256).subtract(BigInteger.ONE);
    for (BigInteger edge : new BigInteger[] {BigInteger.ZERO, N, N.add(BigInteger.ONE), top}) {
      allAnswer(false, p256, P256.joined(edge, s));
      allAnswer(false, p256, P256.joined(r, edge));
    }
    allAnswer(true, p256, P256.joined(r, N.subtract(s)));
    allAnswer(false, p256, P256.joined(N.subtract(r), s));
  }

  private static void allAnswer(boolean expected, Signer signer, byte[] signature) {
    for (Signatures provider : SignatureProviders.all()) {
      assertThat(Accepts.accepts(provider, signer.publicKey(), MESSAGE, signature))
          .as(provider.providerName())
          .isEqualTo(expected);
    }
  }

  private static byte[] withS(byte[] signature, BigInteger s) {
    byte[] changed = signature.clone();
    for (int i = 0; i < 32; i++) {
      changed[32 + i] = s.shiftRight(8 * i).byteValue();
    }
    return changed;
  }

  private static byte[] reversed(byte[] bytes) {
    byte[] reversed = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      reversed[i] = bytes[bytes.length - 1 - i];
    }
    return reversed;
  }
}
