package io.tallystick.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/// Goal: the command line of `tally bench` explains itself and refuses what it cannot measure.
/// Method: the command line in this process; nothing is measured.
class BenchTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final CommandLine commandLine =
      Bench.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));

  @Test
  void everyCommandExplainsItself() {
    assertThat(commandLine.execute("--help")).isZero();
    assertThat(out.toString()).startsWith("Usage: tally bench ");
    assertThat(commandLine.getSubcommands())
        .containsOnlyKeys(
            "append", "service", "soak", "clue", "state", "trust", "removal", "gpu", "operate",
            "cluster");
    for (String command : commandLine.getSubcommands().keySet()) {
      out.getBuffer().setLength(0);
      assertThat(commandLine.execute(command, "--help")).isZero();
      assertThat(out.toString()).startsWith("Usage: tally bench " + command + " ");
    }
  }

  @Test
  void refusesACaseThatDoesNotExist() {
    for (String command :
        new String[] {"append", "service", "clue", "trust", "removal", "operate", "cluster"}) {
      err.getBuffer().setLength(0);
      assertThat(commandLine.execute(command, "--case", "guess")).isEqualTo(ExitCode.USAGE);
      assertThat(err.toString()).startsWith("tally: no case guess; there are [");
    }
    err.getBuffer().setLength(0);
    assertThat(commandLine.execute("state", "guess")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).startsWith("tally: no case guess; there are [");
    assertThat(commandLine.execute("state", "--case", "put")).isEqualTo(ExitCode.USAGE);
    assertThat(commandLine.execute("state", "put", "--batch", "0")).isEqualTo(ExitCode.USAGE);
    assertThat(commandLine.execute("state", "put", "--value-bytes", "7")).isEqualTo(ExitCode.USAGE);
    assertThat(commandLine.execute("state", "put", "--keys", "99")).isEqualTo(ExitCode.USAGE);
    assertThat(commandLine.execute("soak", "--minutes", "0")).isEqualTo(ExitCode.USAGE);
    assertThat(commandLine.execute("gpu", "--share", "0")).isEqualTo(ExitCode.USAGE);
    assertThat(commandLine.execute("cluster", "--journals", "0")).isEqualTo(ExitCode.USAGE);
    assertThat(commandLine.execute("cluster", "--journals", "5000001")).isEqualTo(ExitCode.USAGE);
    assertThat(commandLine.execute("cluster", "--heap", "much")).isEqualTo(ExitCode.USAGE);
    assertThat(commandLine.execute("cluster", "--seconds", "0")).isEqualTo(ExitCode.USAGE);
    assertThat(commandLine.execute()).isEqualTo(ExitCode.USAGE);
  }
}
