package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Runs the `tally` command in this process.
///
/// @param service where commands that need one find it
/// @param trust the user's trust directory
record Cli(String service, String trust) {
  /// What a run printed and ended with.
  record Result(int status, String out, String err) {
    JsonNode json() {
      assertThat(status).as(err).isZero();
      return parsed();
    }

    /// The JSON of a command that may have failed.
    JsonNode parsed() {
      return JsonMapper.builder().build().readTree(out);
    }

    Result hasStatus(int expected) {
      assertThat(status).as("%s%n%s", out, err).isEqualTo(expected);
      return this;
    }
  }

  static Result run(Object... arguments) {
    List<String> words = new ArrayList<>();
    for (Object argument : arguments) {
      words.add(argument.toString());
    }
    CommandLine commandLine = Tally.commandLine();
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    commandLine.setOut(new PrintWriter(out, true));
    commandLine.setErr(new PrintWriter(err, true));
    int status = commandLine.execute(words.toArray(String[]::new));
    return new Result(status, out.toString(), err.toString());
  }

  /// A command that talks to the service.
  Result call(Object... arguments) {
    Object[] all = new Object[arguments.length + 4];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    all[arguments.length] = "--service";
    all[arguments.length + 1] = service;
    all[arguments.length + 2] = "--trust";
    all[arguments.length + 3] = trust;
    return run(all);
  }
}
