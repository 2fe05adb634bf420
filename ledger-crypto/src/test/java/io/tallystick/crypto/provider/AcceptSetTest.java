package io.tallystick.crypto.provider;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.ProofRejectedException;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: the accept set does not lean on what a provider happens to refuse itself. Method: the
/// checks alone, each told by its words.
class AcceptSetTest {
  @ParameterizedTest
  @CsvSource({
    "0100000000000000000000000000000000000000000000000000000000000000, small order",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f, small order",
    "0000000000000000000000000000000000000000000000000000000000000000, small order",
    "0000000000000000000000000000000000000000000000000000000000000080, small order",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a, small order",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa, small order",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05, small order",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85, small order",
    "0100000000000000000000000000000000000000000000000000000000000080, canonical",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff, canonical",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f, canonical",
    "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f, canonical",
    "0200000000000000000000000000000000000000000000000000000000000000, not on the curve"
  })
  void saysWhyAnEd25519KeyIsRefused(String raw, String why) {
    assertThatExceptionOfType(ProofRejectedException.class)
        .isThrownBy(() -> AcceptSet.checkKey(Accepts.ed25519(HexFormat.of().parseHex(raw))))
        .withMessageContaining(why);
  }

  @Test
  void refusesEs256NumbersOutOfRange() {
    BigInteger n = P256.DOMAIN.getN();
    BigInteger good = n.subtract(BigInteger.ONE);
    assertThatCode(() -> check(BigInteger.ONE, good)).doesNotThrowAnyException();
    for (BigInteger bad : new BigInteger[] {BigInteger.ZERO, n, n.add(BigInteger.ONE)}) {
      refused(bad, good, "r is not");
      refused(good, bad, "s is not");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0100000000000000000000000000000000000000000000000000000000000000, of small order",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f, of small order",
    "0000000000000000000000000000000000000000000000000000000000000000, of small order",
    "0000000000000000000000000000000000000000000000000000000000000080, of small order",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a, of small order",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa, of small order",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05, of small order",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85, of small order",
    "0100000000000000000000000000000000000000000000000000000000000080, not in its canonical",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff, not in its canonical",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f, not in its canonical"
  })
  void saysWhyANonceIsRefused(String nonce, String why) {
    byte[] signature = Arrays.copyOf(HexFormat.of().parseHex(nonce), 64);
    assertThatExceptionOfType(ProofRejectedException.class)
        .isThrownBy(() -> AcceptSet.checkSignature(SignatureAlgorithm.ED25519, signature))
        .withMessageContaining("R is " + why);
  }

  /// Bytes that are a point of small order, 01 and zeros, are a number here.
  @Test
  void leavesEs256Alone() {
    assertThatCode(() -> check(BigInteger.ONE.shiftLeft(248), BigInteger.ONE))
        .doesNotThrowAnyException();
  }

  private static void refused(BigInteger r, BigInteger s, String why) {
    assertThatExceptionOfType(ProofRejectedException.class)
        .isThrownBy(() -> check(r, s))
        .withMessageContaining(why);
  }

  private static void check(BigInteger r, BigInteger s) throws ProofRejectedException {
    AcceptSet.checkSignature(SignatureAlgorithm.ES256, P256.joined(r, s));
  }
}
