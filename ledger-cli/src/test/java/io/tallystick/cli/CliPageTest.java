package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/// Goal: whoever reads `docs/cli.md` knows every command. Method: the names of all commands that
/// `--help` shows, looked for in the page.
class CliPageTest {
  private static final Path PAGE = Path.of("..", "docs", "cli.md");

  @Test
  void namesEveryCommand() throws Exception {
    // A line of the page may end within a command's name.
    String page = Files.readString(PAGE).replaceAll("\\s+", " ");
    List<String> missing = new ArrayList<>();
    for (String command : leaves("", Tally.commandLine())) {
      String last = command.substring(command.lastIndexOf(' ') + 1);
      boolean named =
          page.contains("`tally" + command)
              || page.contains("`" + command.strip())
              || (command.startsWith(" propose ") && page.contains(" " + last + " LEDGER"))
              || (command.startsWith(" anchor ") && page.contains("| " + last + " "));
      if (!named) {
        missing.add(command.strip());
      }
    }
    assertThat(missing).isEmpty();
  }

  private static List<String> leaves(String name, CommandLine line) {
    List<String> leaves = new ArrayList<>();
    line.getSubcommands()
        .forEach((word, below) -> {
          if (!below.getCommandSpec().usageMessage().hidden()) {
            leaves.addAll(leaves(name + " " + word, below));
          }
        });
    return line.getSubcommands().isEmpty() ? List.of(name) : leaves;
  }
}
