package io.tallystick.testkit.vectors;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The little JSON that vectors need: objects, arrays, strings, integers and booleans, as `Map`,
/// `List`, `String`, `Long` and `Boolean`. Written with two spaces and keys in order.
final class Json {
  private final String text;
  private int position;

  private Json(String text) {
    this.text = text;
  }

  static Map<?, ?> parseObject(String text) {
    Json json = new Json(text);
    if (!(json.value() instanceof Map<?, ?> object)) {
      throw new IllegalArgumentException("no object");
    }
    json.blank();
    if (json.position != text.length()) {
      throw json.wrong();
    }
    return object;
  }

  private Object value() {
    blank();
    char next = text.charAt(position);
    return switch (next) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      default -> number();
    };
  }

  private Map<String, Object> object() {
    Map<String, Object> object = new LinkedHashMap<>();
    position++;
    while (!closes('}')) {
      String key = string();
      expect(':');
      object.put(key, value());
    }
    return object;
  }

  private List<Object> array() {
    List<Object> array = new ArrayList<>();
    position++;
    while (!closes(']')) {
      array.add(value());
    }
    return array;
  }

  private boolean closes(char end) {
    blank();
    if (text.charAt(position) == ',') {
      position++;
      blank();
    }
    if (text.charAt(position) != end) {
      return false;
    }
    position++;
    return true;
  }

  private String string() {
    expect('"');
    StringBuilder string = new StringBuilder();
    while (text.charAt(position) != '"') {
      char next = text.charAt(position++);
      if (next == '\\') {
        next = text.charAt(position++);
        if (next != '"' && next != '\\') {
          throw wrong();
        }
      }
      string.append(next);
    }
    position++;
    return string.toString();
  }

  private Object word(String word, Object value) {
    if (!text.startsWith(word, position)) {
      throw wrong();
    }
    position += word.length();
    return value;
  }

  private Long number() {
    int start = position;
    while (text.charAt(position) == '-' || Character.isDigit(text.charAt(position))) {
      position++;
    }
    return Long.valueOf(text.substring(start, position));
  }

  private void expect(char want) {
    blank();
    if (text.charAt(position++) != want) {
      throw wrong();
    }
  }

  private void blank() {
    while (position < text.length() && Character.isWhitespace(text.charAt(position))) {
      position++;
    }
  }

  private IllegalArgumentException wrong() {
    return new IllegalArgumentException("not the JSON of a vector at " + position);
  }

  static String format(Object value) {
    StringBuilder out = new StringBuilder();
    write(out, value, "\n");
    return out.append('\n').toString();
  }

  private static void write(StringBuilder out, Object value, String indent) {
    switch (value) {
      case Map<?, ?> map -> {
        List<Object> entries = new ArrayList<>(map.entrySet());
        items(out, entries, '{', '}', indent);
      }
      case Map.Entry<?, ?> entry -> {
        write(out, entry.getKey(), indent);
        out.append(": ");
        write(out, entry.getValue(), indent);
      }
      case Collection<?> list -> items(out, list, '[', ']', indent);
      case String string ->
          out.append('"').append(string.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
      default -> out.append(value);
    }
  }

  private static void items(
      StringBuilder out, Collection<?> items, char open, char close, String indent) {
    out.append(open);
    String separator = "";
    for (Object item : items) {
      out.append(separator).append(indent).append("  ");
      write(out, item, indent + "  ");
      separator = ",";
    }
    out.append(items.isEmpty() ? "" : indent).append(close);
  }
}
