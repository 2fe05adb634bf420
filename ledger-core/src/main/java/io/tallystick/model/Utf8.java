package io.tallystick.model;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/// Text as UTF-8 and back, for whatever is hashed or signed: what has no bytes of its own is
/// refused, where the JDK's {@link String#getBytes} writes a question mark.
public final class Utf8 {
  private Utf8() {}

  /// @throws UnpairedSurrogateException if there is one
  public static byte[] encode(String text) {
    check(text);
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /// How many bytes {@link #encode} makes.
  ///
  /// @throws UnpairedSurrogateException if there is one
  public static int size(String text) {
    return encode(text).length;
  }

  /// @throws UnpairedSurrogateException if there is one
  public static void check(String text) {
    int at = unpairedAt(text);
    if (at >= 0) {
      throw new UnpairedSurrogateException(at);
    }
  }

  /// Where a text has half a surrogate pair, which no encoding can hold.
  ///
  /// @return its index; -1 if there is none
  public static int unpairedAt(String text) {
    for (int i = 0; i < text.length(); i++) {
      char unit = text.charAt(i);
      if (Character.isSurrogate(unit)) {
        boolean pair =
            Character.isHighSurrogate(unit)
                && i + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(i + 1));
        if (!pair) {
          return i;
        }
        i++;
      }
    }
    return -1;
  }

  /// @throws CharacterCodingException if the bytes are no UTF-8
  public static String decode(byte[] bytes) throws CharacterCodingException {
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
  }
}
