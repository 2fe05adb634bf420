package io.tallystick.crypto;

import io.tallystick.model.MalformedException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/// The text of a private key file: unencrypted PKCS#8 in PEM (RFC 7468), lines of 64 characters.
/// What the bytes inside mean is the provider's to say. Source: `docs/formats/key.md`.
public final class PrivateKeyPem {
  private static final String BEGIN = "-----BEGIN PRIVATE KEY-----";
  private static final String END = "-----END PRIVATE KEY-----";
  private static final int LINE_LENGTH = 64;
  private static final String NOT_PEM = "no unencrypted PKCS#8 PEM private key";

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

  /// @return the caller's to wipe
  public static byte[] decode(byte[] file) throws MalformedException {
    // Every byte is a character, so that bytes which no PEM has are refused below.
    String text = new String(file, StandardCharsets.ISO_8859_1).strip();
    if (text.length() < BEGIN.length() + END.length()
        || !text.startsWith(BEGIN)
        || !text.endsWith(END)) {
      throw new MalformedException(NOT_PEM);
    }
    String base64 = text.substring(BEGIN.length(), text.length() - END.length());
    try {
      return Base64.getDecoder().decode(base64.replaceAll("\\s", ""));
    } catch (IllegalArgumentException e) {
      throw new MalformedException(NOT_PEM, e);
    }
  }
}
