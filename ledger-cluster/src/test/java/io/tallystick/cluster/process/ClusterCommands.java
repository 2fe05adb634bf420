package io.tallystick.cluster.process;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import picocli.CommandLine;

/// Runs commands of a cluster in this process.
public final class ClusterCommands {
  private ClusterCommands() {}

  /// What a command printed and ended with.
  public record Ended(int status, String out, String err) {}

  public static Ended run(Object... arguments) {
    CommandLine command = ClusterTally.commandLine();
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    command.setOut(new PrintWriter(out, true));
    command.setErr(new PrintWriter(err, true));
    String[] words = Arrays.stream(arguments).map(Object::toString).toArray(String[]::new);
    int status = command.execute(words);
    return new Ended(status, out.toString(), err.toString());
  }
}
