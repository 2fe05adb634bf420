package io.tallystick.bench;

import io.tallystick.cli.terminal.UsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Option;

/// The option of commands that measure the cases somebody names, or all.
final class ChosenCases {
  @Option(
      names = "--case",
      paramLabel = "NAME",
      description = "Measure only this case; repeat the option for more. Default: all")
  private List<String> names = new ArrayList<>();

  /// @param known names of all cases
  /// @throws UsageException a name that is not among them
  List<String> of(List<String> known) throws UsageException {
    check(names, known);
    return names.isEmpty() ? known : names;
  }

  static void check(List<String> names, List<String> known) throws UsageException {
    for (String name : names) {
      if (!known.contains(name)) {
        throw new UsageException(
            String.format(Locale.ROOT, "no case %s; there are %s", name, known));
      }
    }
  }
}
