package io.tallystick.cli.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/// Options of the JVM, one a line, in files that `java @FILE` takes: what the `tally` script, this
/// command and the image start a JVM with is written once.
public final class JvmOptions {
  private static final String SERVICE = "service.args";
  private static final String COMMAND = "client.args";
  private static final String BOOKIE = "bookie.args";
  private static final String HEAP = "-Xmx";

  private JvmOptions() {}

  /// The options of the JVM that runs the service, with the parts that the build wrote down turned
  /// on. Options behind them override.
  static List<String> ofService() {
    return of(SERVICE);
  }

  /// The options of the JVM that runs any other command. Options behind them override.
  public static List<String> ofCommand() {
    return of(COMMAND);
  }

  /// Further options of the JVM that runs a bookie.
  public static List<String> ofBookie() {
    return of(BOOKIE);
  }

  private static List<String> of(String file) {
    try (InputStream in =
        Objects.requireNonNull(JvmOptions.class.getResourceAsStream(file), file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(String::strip)
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The largest heap of a JVM with these options, in bytes.
  ///
  /// @param options with at least one that says it; the last of them counts
  static long heapBytes(List<String> options) {
    String heap =
        options.stream()
            .filter(option -> option.startsWith(HEAP))
            .reduce((_, last) -> last)
            .orElseThrow()
            .substring(HEAP.length());
    char unit = Character.toLowerCase(heap.charAt(heap.length() - 1));
    int shift = 10 * (1 + "kmg".indexOf(unit));
    String digits = shift == 0 ? heap : heap.substring(0, heap.length() - 1);
    return Long.parseLong(digits) << shift;
  }
}
