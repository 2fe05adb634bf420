package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Runs the `tally` command in this process.
///
/// @param service where commands that need one find it
/// @param trust the user's trust directory
/// @param reader key for ledgers that are not public; null: none is given
record Cli(String service, String trust, @Nullable Path reader) {
  Cli(String service, String trust) {
    this(service, trust, null);
  }

  Cli withReader(Path key) {
    return new Cli(service, trust, key);
  }

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
    String[] words = Arrays.stream(arguments).map(Object::toString).toArray(String[]::new);
    CommandLine commandLine = Tally.commandLine(words);
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    commandLine.setOut(new PrintWriter(out, true));
    commandLine.setErr(new PrintWriter(err, true));
    int status = commandLine.execute(words);
    return new Result(status, out.toString(), err.toString());
  }

  /// A command that talks to the service.
  Result call(Object... arguments) {
    List<Object> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--service", service, "--trust", trust));
    if (reader != null) {
      all.addAll(List.of("--reader-key", reader));
    }
    return run(all.toArray());
  }
}
