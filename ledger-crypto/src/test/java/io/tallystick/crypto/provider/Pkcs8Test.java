package io.tallystick.crypto.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.ExportableSigner;
import io.tallystick.model.MalformedException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.HexFormat;
import org.bouncycastle.asn1.sec.SECObjectIdentifiers;
import org.bouncycastle.crypto.params.ECNamedDomainParameters;
import org.bouncycastle.crypto.params.ECPrivateKeyParameters;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;
import org.bouncycastle.crypto.util.PrivateKeyInfoFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: private keys survive storing, come in from other tools, and a file that says two things is
/// refused. Method: round trips, keys made by the JDK and by Bouncy Castle, RFC 8410's examples.
class Pkcs8Test {
  private static final Signatures PROVIDER = SignatureProviders.best();
  private static final byte[] MESSAGE = {1, 2, 3};

  @ParameterizedTest
  @EnumSource(SignatureAlgorithm.class)
  void signsWithAnImportedKeyAsBefore(SignatureAlgorithm algorithm) throws Exception {
    ExportableSigner made = PROVIDER.generate(algorithm);
    for (Signatures provider : SignatureProviders.all()) {
      ExportableSigner imported = provider.importPkcs8(made.exportPkcs8());
      assertThat(imported.publicKey()).isEqualTo(made.publicKey());
      assertThat(imported.exportPkcs8()).isEqualTo(made.exportPkcs8());
      PROVIDER.verify(made.publicKey(), MESSAGE, imported.sign(MESSAGE));
    }
  }

  @Test
  void signsEd25519DeterministicallyOnEveryProvider() throws MalformedException {
    ExportableSigner made = PROVIDER.generate(SignatureAlgorithm.ED25519);
    for (Signatures provider : SignatureProviders.all()) {
      ExportableSigner same = provider.importPkcs8(made.exportPkcs8());
      assertThat(same.sign(MESSAGE)).isEqualTo(made.sign(MESSAGE));
      assertThat(same.sign(MESSAGE)).isEqualTo(same.sign(MESSAGE));
    }
  }

  @ParameterizedTest
  @EnumSource(SignatureAlgorithm.class)
  void importsWhatTheJdkWrites(SignatureAlgorithm algorithm) throws Exception {
    KeyPair pair = jdkPair(algorithm);
    ExportableSigner imported = PROVIDER.importPkcs8(pair.getPrivate().getEncoded());
    assertThat(imported.publicKey().spki().toArray()).isEqualTo(pair.getPublic().getEncoded());
  }

  @Test
  void importsWhatBouncyCastleWrites() throws Exception {
    ECNamedDomainParameters named =
        new ECNamedDomainParameters(SECObjectIdentifiers.secp256r1, P256.DOMAIN);
    byte[] p256 =
        PrivateKeyInfoFactory.createPrivateKeyInfo(
                new ECPrivateKeyParameters(BigInteger.TEN, named))
            .getEncoded();
    assertThat(PROVIDER.importPkcs8(p256).publicKey().algorithm())
        .isEqualTo(SignatureAlgorithm.ES256);
    Ed25519PrivateKeyParameters seed = new Ed25519PrivateKeyParameters(new SecureRandom());
    byte[] ed25519 = PrivateKeyInfoFactory.createPrivateKeyInfo(seed).getEncoded();
    assertThat(PROVIDER.importPkcs8(ed25519).publicKey().raw())
        .isEqualTo(seed.generatePublicKey().getEncoded());
  }

  /// RFC 8410 section 10.3's key, in version 1 and in version 2 without its attributes.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "302e020100300506032b657004220420"
            + "d4ee72dbf913584ad5b6d8f1f769f8ad3afe7c28cbf1d4fbe097a88f44755842",
        "3051020101300506032b657004220420"
            + "d4ee72dbf913584ad5b6d8f1f769f8ad3afe7c28cbf1d4fbe097a88f44755842"
            + "81210019bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1"
      })
  void derivesThePublicKeyOfTheRfcsExample(String pkcs8) throws MalformedException {
    ExportableSigner imported = PROVIDER.importPkcs8(HexFormat.of().parseHex(pkcs8));
    assertThat(HexFormat.of().formatHex(imported.publicKey().raw()))
        .isEqualTo("19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1");
  }

  @Test
  void refusesAPublicKeyThatIsNotThePrivateKeys() {
    byte[] pkcs8 = PROVIDER.generate(SignatureAlgorithm.ES256).exportPkcs8();
    pkcs8[pkcs8.length - 1] ^= 1;
    refused(pkcs8, "public key is not its private key's");
  }

  @Test
  void refusesP256ScalarsOutOfRange() {
    byte[] prefix =
        HexFormat.of()
            .parseHex("3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420");
    byte[] zero = Arrays.copyOf(prefix, prefix.length + 32);
    refused(zero, "not from 1 to n - 1");
    byte[] huge = zero.clone();
    Arrays.fill(huge, prefix.length, huge.length, (byte) 0xff);
    refused(huge, "not from 1 to n - 1");
  }

  @ParameterizedTest
  @EnumSource(SignatureAlgorithm.class)
  void refusesEveryOtherLengthAndPrefix(SignatureAlgorithm algorithm) {
    byte[] pkcs8 = PROVIDER.generate(algorithm).exportPkcs8();
    for (int length = 0; length < pkcs8.length; length++) {
      refused(Arrays.copyOf(pkcs8, length), "in a known form");
    }
    refused(Arrays.copyOf(pkcs8, pkcs8.length + 1), "in a known form");
    for (int at = 0; at < 14; at++) {
      byte[] flipped = pkcs8.clone();
      flipped[at] ^= 1;
      refused(flipped, "in a known form");
    }
  }

  private static void refused(byte[] pkcs8, String why) {
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> PROVIDER.importPkcs8(pkcs8))
        .withMessageContaining(why);
  }

  private static KeyPair jdkPair(SignatureAlgorithm algorithm) throws GeneralSecurityException {
    if (algorithm == SignatureAlgorithm.ED25519) {
      return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    }
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    return generator.generateKeyPair();
  }
}
