package io.tallystick.crypto;

import io.tallystick.model.MalformedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The text of a private key file: unencrypted PKCS#8 in PEM (RFC 7468), lines of 64 characters.
/// What the bytes inside mean is the provider's to say. Source: `docs/formats/key.md`.
public final class PrivateKeyPem {
  private static final String LABEL = "PRIVATE KEY";
  private static final String BEGIN = "-----BEGIN " + LABEL + "-----";
  private static final String END = "-----END " + LABEL + "-----";
  private static final int LINE_LENGTH = 64;
  private static final byte DER_SEQUENCE = 0x30;
  private static final byte DER_INTEGER = 2;
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \\1-----", Pattern.DOTALL);
  private static final String ALONE =
      "a key's file has its block alone: openssl pkey -in OLD.pem -out NEW.pem takes the first key";
  private static final String FROM_DER =
      "openssl pkey -inform DER -in OLD.der -out NEW.pem converts it";

  private PrivateKeyPem() {}

  /// @return the caller's to wipe
  public static byte[] encode(byte[] pkcs8) {
    byte[] lines = Base64.getMimeEncoder(LINE_LENGTH, new byte[] {'\n'}).encode(pkcs8);
    byte[] begin = (BEGIN + "\n").getBytes(StandardCharsets.US_ASCII);
    byte[] end = ("\n" + END + "\n").getBytes(StandardCharsets.US_ASCII);
    byte[] pem = Arrays.copyOf(begin, begin.length + lines.length + end.length);
    System.arraycopy(lines, 0, pem, begin.length, lines.length);
    System.arraycopy(end, 0, pem, begin.length + lines.length, end.length);
    Arrays.fill(lines, (byte) 0);
    return pem;
  }

  /// The key of the one block that the file has; text around it is left out.
  ///
  /// @return the caller's to wipe
  /// @throws MalformedException which says what the file has instead, and how that is converted
  public static byte[] decode(byte[] file) throws MalformedException {
    // Every byte is a character, so that bytes which no PEM has are refused below.
    String text = new String(file, StandardCharsets.ISO_8859_1);
    List<String> labels = new ArrayList<>();
    String content = "";
    Matcher block = BLOCK.matcher(text);
    while (block.find()) {
      if (!block.group(1).equals("EC PARAMETERS")) { // the curve, before a key in SEC1
        labels.add(block.group(1));
        content = block.group(2);
      }
    }
    if (labels.isEmpty()) {
      throw new MalformedException(withoutBlock(file, text));
    }
    if (labels.size() > 1) {
      throw new MalformedException(
          "it has " + labels.size() + " blocks, " + String.join(", ", labels) + "; " + ALONE);
    }
    String label = labels.getFirst();
    if (!label.equals(LABEL)) {
      throw new MalformedException(ForeignKey.refusal(label, content));
    }
    byte[] key = base64(content);
    Optional<String> unusable = ForeignKey.unusable(key);
    if (unusable.isPresent()) {
      Arrays.fill(key, (byte) 0);
      throw new MalformedException(unusable.get());
    }
    return key;
  }

  /// Looks at the form of a key whose algorithm may be any, as TLS has them.
  ///
  /// @throws MalformedException if the file has no block of unencrypted PKCS#8, saying what else
  public static void checkPkcs8(byte[] file) throws MalformedException {
    Matcher block = BLOCK.matcher(new String(file, StandardCharsets.ISO_8859_1));
    String other = null;
    while (block.find()) {
      if (block.group(1).equals(LABEL)) {
        return;
      }
      if (block.group(1).endsWith(LABEL)) {
        other = block.group(1);
      }
    }
    throw new MalformedException(
        other == null
            ? "no private key in PEM"
            : "a PEM block " + other + ", not PKCS#8 unencrypted; " + ForeignKey.CONVERT);
  }

  private static String withoutBlock(byte[] file, String text) {
    if (text.contains("-----BEGIN ")) {
      return "no PEM block in it has both its first and its last line";
    }
    return file.length > 2 && file[0] == DER_SEQUENCE && (file[1] < 0 || file[2] == DER_INTEGER)
        ? "a key in DER, not PEM; " + FROM_DER
        : "no private key in PEM; " + ForeignKey.NEW_KEY;
  }

  static byte[] base64(String content) throws MalformedException {
    try {
      return Base64.getDecoder().decode(content.replaceAll("\\s", ""));
    } catch (IllegalArgumentException e) {
      throw new MalformedException("the text of its PEM block is no base64", e);
    }
  }
}
