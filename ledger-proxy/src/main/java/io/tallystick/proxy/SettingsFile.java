package io.tallystick.proxy;

import io.tallystick.durable.PlainFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;

/// The settings of the service that a file holds: Java properties in UTF-8, with the names of
/// `docs/configuration.md`.
///
/// @param values by name, `tallystick.port`
public record SettingsFile(Map<String, Object> values) {
  /// No setting.
  public static final SettingsFile NONE = new SettingsFile(Map.of());

  private static final int BYTES_MAX = 1 << 20;
  private static final Pattern NAME = Pattern.compile("tallystick(\\.[a-z][a-z0-9-]*)+");

  public SettingsFile {
    values = Map.copyOf(values);
  }

  /// @throws IllegalArgumentException saying in one line what is wrong with the content
  /// @throws IOException if the file cannot be read, or is no plain file
  public static SettingsFile read(Path file) throws IOException {
    byte[] bytes;
    try (InputStream in = PlainFile.open(file)) {
      bytes = in.readNBytes(BYTES_MAX + 1);
    }
    if (bytes.length > BYTES_MAX) {
      throw new IllegalArgumentException("it has more than " + BYTES_MAX + " bytes");
    }
    Settings settings = new Settings();
    settings.load(new StringReader(text(bytes)));
    return new SettingsFile(settings.byName);
  }

  private static String text(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("it is not UTF-8", e);
    }
  }

  /// Whether IPv6 is used, as far as this file says.
  public boolean ipv6() {
    return Boolean.parseBoolean(String.valueOf(values.get("tallystick.ipv6")));
  }

  /// Takes each name once: of two values for one name nobody knows which was meant.
  private static final class Settings extends Properties {
    private static final long serialVersionUID = 1;
    private final transient Map<String, Object> byName = new HashMap<>();

    @Override
    public synchronized Object put(Object key, Object value) {
      String name = key.toString();
      if (!NAME.matcher(name).matches()) {
        throw new IllegalArgumentException(
            String.format(Locale.ROOT, "%s is no setting (docs/configuration.md)", name));
      }
      if (byName.put(name, value) != null) {
        throw new IllegalArgumentException(name + " is set twice");
      }
      return value;
    }
  }
}
