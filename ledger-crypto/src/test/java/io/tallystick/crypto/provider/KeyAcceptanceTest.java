package io.tallystick.crypto.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: keys that anyone could sign for, or that have a second encoding, are refused when they are
/// registered and when they verify. Method: all encodings of the eight points of small order, by
/// hand, and points off the curves.
class KeyAcceptanceTest {
  private static final String P256_PREFIX =
      "3059301306072a8648ce3d020106082a8648ce3d03010703420004";

  static Stream<Signatures> providers() {
    return SignatureProviders.all().stream();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // order 1: (0, 1), with the sign of −0, and y = 1 + p with both signs
        "0100000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        // order 2: (0, −1), with the sign of −0
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        // order 4: (±√−1, 0), and y = p
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        // order 8: four points
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
      })
  void refusesEveryEncodingOfASmallOrderPoint(String raw) {
    refused(Accepts.ed25519(HexFormat.of().parseHex(raw)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // y = 2 is no point; y = 3 + p is the point y = 3, which exists, in its second encoding
        "0200000000000000000000000000000000000000000000000000000000000000",
        "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
      })
  void refusesEd25519KeysThatAreNoPointOrNotCanonical(String raw) {
    refused(Accepts.ed25519(HexFormat.of().parseHex(raw)));
  }

  @Test
  void acceptsTheCanonicalTwinOfARefusedEncoding() {
    byte[] raw = new byte[32];
    raw[0] = 3;
    for (Signatures provider : SignatureProviders.all()) {
      assertThatCode(() -> provider.checkKey(Accepts.ed25519(raw))).doesNotThrowAnyException();
    }
  }

  @Test
  void refusesP256KeysOffTheCurveAndBeyondTheField() throws MalformedException {
    byte[] good = SignatureProviders.best().generate(SignatureAlgorithm.ES256).publicKey().raw();
    byte[] off = good.clone();
    off[64] ^= 1;
    byte[] zero = new byte[65];
    byte[] beyond = good.clone();
    for (int i = 1; i <= 32; i++) {
      beyond[i] = (byte) 0xff;
    }
    for (byte[] raw : new byte[][] {off, zero, beyond}) {
      String xy = HexFormat.of().formatHex(raw, 1, 65);
      refused(PublicKey.ofSpki(Bytes.fromHex(P256_PREFIX + xy)));
    }
  }

  @ParameterizedTest
  @MethodSource("providers")
  void acceptsKeysItMade(Signatures provider) {
    for (SignatureAlgorithm algorithm : SignatureAlgorithm.values()) {
      PublicKey key = provider.generate(algorithm).publicKey();
      assertThat(key.algorithm()).isEqualTo(algorithm);
      assertThatCode(() -> provider.checkKey(key)).doesNotThrowAnyException();
    }
  }

  private static void refused(PublicKey key) {
    for (Signatures provider : SignatureProviders.all()) {
      assertThatExceptionOfType(ProofRejectedException.class)
          .as(provider.providerName())
          .isThrownBy(() -> provider.checkKey(key))
          .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.WRONG_KEY));
      assertThat(Accepts.accepts(provider, key, new byte[1], new byte[64])).isFalse();
    }
  }
}
