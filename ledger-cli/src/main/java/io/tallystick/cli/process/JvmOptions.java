package io.tallystick.cli.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/// Options of the JVM, one a line, in files that `java @FILE` takes: what the `tally` script, this
/// command and the image start a JVM with is written once.
final class JvmOptions {
  private static final String SERVICE = "service.args";

  private JvmOptions() {}

  /// The options of the JVM that runs the service, with the parts that the build wrote down turned
  /// on. Options behind them override.
  static List<String> ofService() {
    try (InputStream in =
        Objects.requireNonNull(JvmOptions.class.getResourceAsStream(SERVICE), SERVICE)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(String::strip)
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
