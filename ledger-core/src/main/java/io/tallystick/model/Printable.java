package io.tallystick.model;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/// Unverified text, made safe to print: characters that control a terminal, hide or reorder text
/// become U+FFFD.
public final class Printable {
  private static final Pattern UNSAFE =
      Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}]");

  private Printable() {}

  public static String of(String text) {
    return UNSAFE.matcher(text).replaceAll("\uFFFD");
  }

  /// Bytes in a sentence: quoted text if they are UTF-8 that can be shown as it is, else hex.
  public static String name(Bytes bytes) {
    return text(bytes).map(text -> "\"" + text + "\"").orElse("0x" + bytes.hex());
  }

  /// Text if the bytes are UTF-8 that can be shown as it is.
  public static Optional<String> text(Bytes bytes) {
    try {
      String text =
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toArray())).toString();
      return Optional.of(text).filter(Printable::is);
    } catch (CharacterCodingException _) {
      return Optional.empty();
    }
  }

  /// Whether {@link #of} would leave it as it is.
  public static boolean is(String text) {
    return !UNSAFE.matcher(text).find();
  }
}
