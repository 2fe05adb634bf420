package io.tallystick.note;

import io.tallystick.model.MalformedException;
import java.util.Base64;

/// Standard base64 (RFC 4648 section 4), padded, and only the one canonical text of each value.
final class Base64Text {
  private Base64Text() {}

  static byte[] decode(String text) throws MalformedException {
    byte[] value;
    try {
      value = Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      throw new MalformedException("not base64", e);
    }
    // The JDK lets missing padding and non-zero spare bits pass.
    if (!Base64.getEncoder().encodeToString(value).equals(text)) {
      throw new MalformedException("base64 is not canonical");
    }
    return value;
  }
}
