package io.tallystick.crypto.provider.pkcs11;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Which key of which module:
/// `pkcs11:slot-id=N;object=LABEL?module-path=FILE&pin-source=file:FILE`. Source: RFC 7512 sections
/// 2.3 and 2.4, of which these four attributes are understood. All are required but `slot-id`,
/// without which the module's first slot with a token is taken. `pin-value` is refused: a PIN in a
/// URI ends up in listings and logs.
///
/// @param object label of the private key and of its certificate
/// @param slotId by which the module knows the slot; null: its first one
/// @param pinFile whose first line is the PIN
record Pkcs11Uri(String object, @Nullable Long slotId, Path module, Path pinFile) {
  static final String SCHEME = "pkcs11";

  private static final String FILE = "file:";
  private static final int BYTES_MAX = 4096;

  /// @throws IOException if it is not of that form
  static Pkcs11Uri parse(String text) throws IOException {
    String head = SCHEME + ":";
    if (!text.startsWith(head) || text.length() > BYTES_MAX) {
      throw new IOException("no " + head + " URI of at most " + BYTES_MAX + " characters");
    }
    String[] parts = text.substring(head.length()).split("\\?", 2);
    Map<String, String> given = new LinkedHashMap<>();
    read(parts[0], ";", given);
    read(parts.length > 1 ? parts[1] : "", "&", given);
    String object = required(given, "object");
    String slot = given.remove("slot-id");
    String module = required(given, "module-path");
    String pinSource = required(given, "pin-source");
    if (given.containsKey("pin-value")) {
      throw new IOException(
          "pin-value is not taken: put the PIN into a file and name it pin-source");
    }
    if (!given.isEmpty()) {
      throw new IOException("attribute not understood: " + String.join(", ", given.keySet()));
    }
    if (!Path.of(module).isAbsolute()) {
      throw new IOException("module-path is not absolute: " + module);
    }
    String pinFile = pinSource.startsWith(FILE) ? pinSource.substring(FILE.length()) : pinSource;
    return new Pkcs11Uri(
        object, slot == null ? null : slotId(slot), Path.of(module), Path.of(pinFile));
  }

  private static void read(String attributes, String separator, Map<String, String> into)
      throws IOException {
    for (String attribute : Arrays.asList(attributes.split(separator))) {
      if (attribute.isEmpty()) {
        continue;
      }
      String[] pair = attribute.split("=", 2);
      if (pair.length < 2) {
        throw new IOException("attribute without a value: " + pair[0]);
      }
      if (into.putIfAbsent(pair[0], decode(pair[1])) != null) {
        throw new IOException("attribute given twice: " + pair[0]);
      }
    }
  }

  private static String decode(String value) throws IOException {
    try {
      // A plus is itself in a URI, and a space in the form that this decoder is for.
      return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new IOException("not percent-encoded: " + value, e);
    }
  }

  private static String required(Map<String, String> given, String name) throws IOException {
    String value = given.remove(name);
    if (value == null || value.isEmpty()) {
      throw new IOException("attribute missing: " + name);
    }
    return value;
  }

  private static Long slotId(String digits) throws IOException {
    try {
      long slot = Long.parseLong(digits);
      if (slot >= 0) {
        return slot;
      }
    } catch (NumberFormatException ignored) {
      // Named below.
    }
    throw new IOException("slot-id is no number: " + digits);
  }
}
