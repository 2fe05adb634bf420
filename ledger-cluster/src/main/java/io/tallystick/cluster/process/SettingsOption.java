package io.tallystick.cluster.process;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// A file of settings of the project whose server is run, which come before what Tallystick sets.
final class SettingsOption {
  @Option(
      names = "--settings",
      paramLabel = "FILE",
      description = "Further settings, lines NAME=VALUE as in that project's own file of settings")
  private @Nullable Path file;

  Map<String, String> read() throws IOException {
    Map<String, String> read = new HashMap<>();
    if (file != null) {
      Properties lines = new Properties();
      try (Reader reader = Files.newBufferedReader(file)) {
        lines.load(reader);
      }
      lines.stringPropertyNames().forEach(name -> read.put(name, lines.getProperty(name)));
    }
    return read;
  }
}
