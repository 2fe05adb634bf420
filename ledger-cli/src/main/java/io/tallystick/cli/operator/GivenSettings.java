package io.tallystick.cli.operator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/// The settings of the service (`docs/configuration.md`) that somebody has given with options of
/// `tally up`, or with the variables that stand for options. An option that is not given is no
/// setting: its default must not stand before a variable of the service.
final class GivenSettings {
  /// Options that have a variable of the command's own, `TALLY_DATA` for `--data`.
  private static final Set<String> WITH_VARIABLE =
      Set.of("--data", "--gpu", "--management-port", "--management-address", "--shutdown-delay");

  private final ParseResult parsed;
  private final Map<String, String> environment;
  private final List<String> arguments = new ArrayList<>();

  GivenSettings(ParseResult parsed, Map<String, String> environment) {
    this.parsed = parsed;
    this.environment = environment;
  }

  /// @param setting without `tallystick.`
  /// @param value what the option says, its default among it
  void add(String option, String setting, @Nullable Object value) {
    if (value != null && isGiven(option)) {
      arguments.add("--tallystick." + setting + "=" + value);
    }
  }

  void addAll(String option, String setting, List<?> values) {
    add(option, setting, String.join(",", values.stream().map(String::valueOf).toList()));
  }

  void addSeconds(String option, String setting, long seconds) {
    add(option, setting, Duration.ofSeconds(seconds));
  }

  void addMillis(String option, String setting, @Nullable Long millis) {
    add(option, setting, millis == null ? null : Duration.ofMillis(millis));
  }

  private boolean isGiven(String option) {
    return parsed.hasMatchedOption(option)
        || (WITH_VARIABLE.contains(option) && environment.containsKey(variable(option)));
  }

  private static String variable(String option) {
    return "TALLY" + option.substring(1).replace('-', '_').toUpperCase(Locale.ROOT);
  }

  /// As the service takes them: `--tallystick.port=0`.
  List<String> arguments() {
    return List.copyOf(arguments);
  }
}
