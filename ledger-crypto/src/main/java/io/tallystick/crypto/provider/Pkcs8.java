package io.tallystick.crypto.provider;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.util.Arrays;
import java.util.List;

/// Unencrypted PKCS#8 private keys in the fixed forms that tools write. No ASN.1 is parsed: every
/// form is a constant prefix, 32 secret bytes, and perhaps a constant and the public key, which
/// must then be the one derived from the secret.
final class Pkcs8 {
  /// RFC 8410, version 1: what OpenSSL and the JDK write, and what we export.
  private static final Form ED25519 =
      form(SignatureAlgorithm.ED25519, "302e020100300506032b657004220420", "", 0);

  /// RFC 8410 section 10.3, version 2, with the public key.
  private static final Form ED25519_WITH_PUBLIC =
      form(SignatureAlgorithm.ED25519, "3051020101300506032b657004220420", "812100", 32);

  /// RFC 5915 inside version 1 with the public key: what OpenSSL writes, and what we export.
  private static final Form P256_WITH_PUBLIC =
      form(
          SignatureAlgorithm.ES256,
          "308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420",
          "a144034200",
          65);

  /// The same without the public key: what the JDK writes.
  private static final Form P256 =
      form(
          SignatureAlgorithm.ES256,
          "3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420",
          "",
          0);

  /// The same with the curve named twice: what Bouncy Castle writes.
  private static final Form P256_WITH_CURVE_AND_PUBLIC =
      form(
          SignatureAlgorithm.ES256,
          "308193020100301306072a8648ce3d020106082a8648ce3d030107047930770201010420",
          "a00a06082a8648ce3d030107a144034200",
          65);

  private static final List<Form> FORMS =
      List.of(ED25519, ED25519_WITH_PUBLIC, P256_WITH_PUBLIC, P256, P256_WITH_CURVE_AND_PUBLIC);

  private Pkcs8() {}

  /// prefix ‖ secret ‖ middle ‖ public key, where `publicBytes` may be 0.
  private record Form(SignatureAlgorithm algorithm, Bytes prefix, Bytes middle, int publicBytes) {
    int afterSecret() {
      return prefix.size() + SecretKey.BYTES;
    }

    int size() {
      return afterSecret() + middle.size() + publicBytes;
    }

    boolean matches(byte[] pkcs8) {
      return pkcs8.length == size()
          && Bytes.copyOf(pkcs8, 0, prefix.size()).equals(prefix)
          && Bytes.copyOf(pkcs8, afterSecret(), middle.size()).equals(middle);
    }
  }

  /// @throws MalformedException if the bytes are of no known form, or name a public key that is not
  ///   the secret's
  static SecretKey decode(byte[] pkcs8) throws MalformedException {
    for (Form form : FORMS) {
      if (form.matches(pkcs8)) {
        return read(form, pkcs8);
      }
    }
    throw new MalformedException(
        pkcs8.length + " bytes are no PKCS#8 private key of Ed25519 or P-256 in a known form");
  }

  static byte[] encode(SecretKey key) {
    return switch (key.algorithm()) {
      case ED25519 -> write(ED25519, key);
      case ES256 -> write(P256_WITH_PUBLIC, key);
    };
  }

  private static SecretKey read(Form form, byte[] pkcs8) throws MalformedException {
    byte[] secret = Arrays.copyOfRange(pkcs8, form.prefix().size(), form.afterSecret());
    SecretKey key = SecretKey.of(form.algorithm(), secret);
    if (form.publicBytes() > 0) {
      byte[] named = Arrays.copyOfRange(pkcs8, form.size() - form.publicBytes(), form.size());
      if (!Arrays.equals(named, key.publicKey().raw())) {
        throw new MalformedException("the PKCS#8 file's public key is not its private key's");
      }
    }
    return key;
  }

  private static byte[] write(Form form, SecretKey key) {
    byte[] pkcs8 = Arrays.copyOf(form.prefix().unsafeArray(), form.size());
    System.arraycopy(key.secret(), 0, pkcs8, form.prefix().size(), SecretKey.BYTES);
    form.middle().copyInto(pkcs8, form.afterSecret());
    if (form.publicBytes() > 0) {
      byte[] raw = key.publicKey().raw();
      System.arraycopy(raw, 0, pkcs8, form.size() - form.publicBytes(), form.publicBytes());
    }
    return pkcs8;
  }

  private static Form form(
      SignatureAlgorithm algorithm, String prefix, String middle, int publicBytes) {
    return new Form(algorithm, Bytes.fromHex(prefix), Bytes.fromHex(middle), publicBytes);
  }
}
