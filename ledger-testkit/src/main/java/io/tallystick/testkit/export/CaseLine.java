package io.tallystick.testkit.export;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.Base64;
import java.util.Collection;
import java.util.stream.Collectors;

/// One case as a line of JSON. Values are numbers, plain ASCII text, and bytes as hexadecimal or
/// base64; nothing needs escaping.
final class CaseLine {
  private final StringBuilder json = new StringBuilder(256);

  CaseLine(String kind) {
    json.append("{\"kind\":").append(quoted(kind));
  }

  CaseLine number(String name, long value) {
    name(name).append(value);
    return this;
  }

  /// @throws IllegalArgumentException if the text would need escaping
  CaseLine text(String name, String value) {
    name(name).append(quoted(value));
    return this;
  }

  CaseLine hex(String name, Digest value) {
    return text(name, value.hex());
  }

  CaseLine hex(String name, Bytes value) {
    return text(name, value.hex());
  }

  CaseLine hexes(String name, Collection<Digest> values) {
    name(name)
        .append(
            values.stream()
                .map(value -> quoted(value.hex()))
                .collect(Collectors.joining(",", "[", "]")));
    return this;
  }

  CaseLine hexStrings(String name, Collection<Bytes> values) {
    name(name)
        .append(
            values.stream()
                .map(value -> quoted(value.hex()))
                .collect(Collectors.joining(",", "[", "]")));
    return this;
  }

  CaseLine base64(String name, Bytes value) {
    return text(name, Base64.getEncoder().encodeToString(value.toArray()));
  }

  String end() {
    return json + "}";
  }

  private StringBuilder name(String name) {
    return json.append(',').append(quoted(name)).append(':');
  }

  private static String quoted(String text) {
    boolean plain = text.chars().allMatch(c -> c >= ' ' && c < 0x7f && c != '"' && c != '\\');
    if (!plain) {
      throw new IllegalArgumentException("not plain text: " + text);
    }
    return '"' + text + '"';
  }
}
