package io.tallystick.model;

import java.nio.charset.CharacterCodingException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Text from outside, made safe to print: characters that control a terminal, hide or reorder text
/// become U+FFFD. The one printer of command line, reports, pages and logs.
public final class Printable {
  private static final Pattern UNSAFE =
      Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}]");

  private static final int BRIEF_BYTES_MAX = 256;

  private Printable() {}

  public static String of(String text) {
    return UNSAFE.matcher(text).replaceAll("\uFFFD");
  }

  /// Text of several lines, whose line ends stay: for what we made of lines, not for a field.
  public static String lines(String text) {
    return Arrays.stream(text.split("\n", -1)).map(Printable::of).collect(Collectors.joining("\n"));
  }

  /// A JSON document that says the same: such characters stand in its strings alone, and are
  /// written as escapes there.
  public static String json(String document) {
    return UNSAFE
        .matcher(document)
        .replaceAll(found -> found.group().equals("\n") ? "\n" : escaped(found.group()));
  }

  private static String escaped(String one) {
    return one.chars()
        .mapToObj(unit -> "\\\\u" + HexFormat.of().toHexDigits((short) unit))
        .collect(Collectors.joining());
  }

  /// Bytes in a sentence: quoted text if they are UTF-8 that can be shown as it is, else hex.
  public static String name(Bytes bytes) {
    return text(bytes).map(text -> "\"" + text + "\"").orElse("0x" + bytes.hex());
  }

  /// A time in a sentence: ISO 8601, UTC.
  ///
  /// @param ms since 1970, as anybody may have sent it
  public static String time(long ms) {
    return Instant.ofEpochMilli(ms).toString();
  }

  /// Text if the bytes are UTF-8 that can be shown as it is.
  public static Optional<String> text(Bytes bytes) {
    try {
      return Optional.of(Utf8.decode(bytes.unsafeArray())).filter(Printable::is);
    } catch (CharacterCodingException ignored) {
      return Optional.empty();
    }
  }

  /// Bytes of any size, told in a line: quoted text if they are short and UTF-8 that can be shown,
  /// its line ends and tabs as escapes; else how many they are, and their SHA-256.
  public static String brief(Bytes bytes) {
    if (bytes.size() <= BRIEF_BYTES_MAX) {
      try {
        String text = Utf8.decode(bytes.unsafeArray());
        String line = text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t");
        if (is(line)) {
          return "\"" + line + "\"";
        }
      } catch (CharacterCodingException ignored) {
        // No text: by its hash.
      }
    }
    return hashed(bytes);
  }

  private static String hashed(Bytes bytes) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      bytes.updateInto(digest);
      return bytes.size() + " bytes, SHA-256 " + HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  /// Whether {@link #of} would leave it as it is.
  public static boolean is(String text) {
    return !UNSAFE.matcher(text).find();
  }
}
