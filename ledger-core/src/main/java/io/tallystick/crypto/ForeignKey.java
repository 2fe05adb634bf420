package io.tallystick.crypto;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// Private keys as other tools write them: what one is, and how it is converted or that it cannot
/// be used. The names of algorithms are the object identifiers that its DER begins with (RFC 5958)
/// or, in SEC1, ends with (RFC 5915).
final class ForeignKey {
  static final String NEW_KEY = "tally keygen NEW.pem makes one";
  static final String CONVERT = "openssl pkey -in OLD.pem -out NEW.pem converts it";
  private static final int ALGORITHM_END = 40;
  private static final Map<Bytes, String> UNUSABLE = new LinkedHashMap<>();

  static {
    UNUSABLE.put(Bytes.fromHex("06092a864886f70d010101"), "an RSA key");
    UNUSABLE.put(Bytes.fromHex("06092a864886f70d01010a"), "an RSA key");
    UNUSABLE.put(Bytes.fromHex("06052b81040022"), "a key on the curve P-384");
    UNUSABLE.put(Bytes.fromHex("06052b81040023"), "a key on the curve P-521");
    UNUSABLE.put(Bytes.fromHex("06052b8104000a"), "a key on the curve secp256k1");
    UNUSABLE.put(Bytes.fromHex("06032b656e"), "an X25519 key, which signs nothing");
    UNUSABLE.put(Bytes.fromHex("06032b6571"), "an Ed448 key");
    UNUSABLE.put(Bytes.fromHex("06072a8648ce380401"), "a DSA key");
  }

  private ForeignKey() {}

  /// The refusal of a block that is no unencrypted PKCS#8.
  ///
  /// @param content between its first and last line
  static String refusal(String label, String content) throws MalformedException {
    return switch (label) {
      case "EC PRIVATE KEY" -> {
        Optional<String> unusable =
            content.contains(":") // encrypted, as its headers say
                ? Optional.empty()
                : named(PrivateKeyPem.base64(content));
        yield unusable.orElse("an EC key in SEC1; " + CONVERT);
      }
      case "ENCRYPTED PRIVATE KEY" ->
          "an encrypted key; " + CONVERT + " into one that is not, and asks for its password";
      case "RSA PRIVATE KEY" -> refused("an RSA key");
      case "DSA PRIVATE KEY" -> refused("a DSA key");
      case "OPENSSH PRIVATE KEY" -> refused("a key of OpenSSH");
      default -> "a PEM block " + label + ", no private key; " + NEW_KEY;
    };
  }

  /// The name of the algorithm of a key in PKCS#8 that is of no use here.
  static Optional<String> unusable(byte[] pkcs8) {
    return named(Arrays.copyOf(pkcs8, Math.min(pkcs8.length, ALGORITHM_END)));
  }

  private static Optional<String> named(byte[] der) {
    String hex = Bytes.copyOf(der).hex();
    return UNUSABLE.entrySet().stream()
        .filter(each -> hex.contains(each.getKey().hex()))
        .map(each -> refused(each.getValue()))
        .findFirst();
  }

  private static String refused(String what) {
    return what + ", which cannot be used here: only Ed25519 and P-256 can; " + NEW_KEY;
  }
}
