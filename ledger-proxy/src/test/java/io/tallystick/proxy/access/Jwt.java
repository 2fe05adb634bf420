package io.tallystick.proxy.access;

import io.tallystick.crypto.Signatures.Signer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;

/// Tokens put together by hand, also ones that no library would make.
final class Jwt {
  private Jwt() {}

  static String signed(Signer key, String header, String claims) {
    return signedInput(key, part(header) + "." + part(claims));
  }

  /// @param input what stands before the signature, whatever it is
  static String signedInput(Signer key, String input) {
    return input + "." + base64(key.sign(input.getBytes(StandardCharsets.US_ASCII)));
  }

  /// One that is right.
  static String read(Signer key, String audience, long expiresSeconds) {
    return signed(
        key, header("EdDSA", "tallystick-read+jwt", key), claims(audience, expiresSeconds));
  }

  static String header(String alg, String typ, Signer key) {
    return String.format(
        Locale.ROOT,
        "{\"alg\":\"%s\",\"typ\":\"%s\",\"kid\":\"%s\"}",
        alg,
        typ,
        key.publicKey().kid().hex());
  }

  static String claims(String audience, long expiresSeconds) {
    return String.format(Locale.ROOT, "{\"aud\":\"%s\",\"exp\":%d}", audience, expiresSeconds);
  }

  static String part(String json) {
    return base64(json.getBytes(StandardCharsets.UTF_8));
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
