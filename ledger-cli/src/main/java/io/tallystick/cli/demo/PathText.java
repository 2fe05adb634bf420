package io.tallystick.cli.demo;

import io.tallystick.model.Utf8;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;

/// The path of a file as text from which its bytes can be told again. A file name on Linux is
/// bytes, and need not be UTF-8; its string would have the same replacement character for all that
/// is not.
final class PathText {
  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private PathText() {}

  /// UTF-8 stays as it is; any other byte, and the percent sign, becomes `%` and two hex digits.
  ///
  /// @param root a folder
  /// @param file in it, at any depth
  /// @return relative to `root`, `/`-separated
  static String of(Path root, Path file) {
    return escape(bytes(file).position(bytes(root).limit()));
  }

  /// The bytes of an absolute path; a folder's end with `/`. Only a path's URI has them unharmed.
  private static ByteBuffer bytes(Path path) {
    URI uri = path.toUri();
    String raw = uri.getRawPath();
    ByteBuffer bytes = ByteBuffer.allocate(raw.length() * 3);
    int at = 0;
    while (at < raw.length()) {
      char c = raw.charAt(at);
      if (c == '%') {
        bytes.put((byte) HexFormat.fromHexDigits(raw, at + 1, at + 3));
        at += 3;
      } else {
        bytes.put(Utf8.encode(String.valueOf(c)));
        at++;
      }
    }
    return bytes.flip();
  }

  private static String escape(ByteBuffer bytes) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    CharBuffer chars = CharBuffer.allocate(bytes.remaining() + 1);
    StringBuilder text = new StringBuilder();
    while (true) {
      CoderResult result = decoder.decode(bytes, chars, true);
      text.append(chars.flip().toString().replace("%", "%25"));
      chars.clear();
      if (!result.isError()) {
        return text.toString();
      }
      for (int i = 0; i < result.length(); i++) {
        text.append('%').append(HEX.toHexDigits(bytes.get()));
      }
    }
  }
}
