package io.tallystick.cli.terminal;

import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.model.Bytes;
import io.tallystick.model.Printable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// The report of a command whose request was sent and not answered: what it signed, in a file, and
/// the command that sends the same again. A second request would be a second journal.
final class UnknownOutcome {
  /// By which the service is reached and read, and how it is answered.
  private static final Set<String> SAME_OPTIONS =
      Set.of(
          "--service",
          "--trust",
          "--key",
          "--reader-key",
          "--tls",
          "--tls-ca",
          "--tls-certificate",
          "--tls-private-key",
          "--json");

  private static final Pattern PLAIN_WORD = Pattern.compile("[A-Za-z0-9_./:@%+=,\\[\\]-]+");

  private UnknownOutcome() {}

  static void tell(ServiceUnavailableException failure, CommandLine line) {
    PrintWriter err = line.getErr();
    err.println(
        line.getColorScheme()
            .errorText(
                "tally: the outcome is unknown: "
                    + Printable.of(String.valueOf(failure.getMessage()))));
    Map<String, Object> object = Output.object("outcome", "unknown");
    Path file = kept(failure, line);
    if (file != null) {
      String again = again(file, line);
      Output.err(line)
          .println(
              "What was signed is kept in "
                  + LocalPaths.shown(file)
                  + ", as secret as what it writes. It may be done already, so do not sign it anew."
                  + " This sends the same again, and it is done once; after it has expired, this says"
                  + " whether it was done:");
      Output.err(line).println("  " + again);
      object.put("pending", file.toString());
      object.put("resend", again);
    }
    Optional<Output> output = mixin(line.getCommandSpec(), Output.class);
    if (output.isPresent() && output.get().isJson()) {
      output.get().print("", object);
    }
  }

  /// @return null if there is no file, which is told
  private static @Nullable Path kept(ServiceUnavailableException failure, CommandLine line) {
    Optional<Bytes> sent = failure.pending();
    Optional<PendingKeeper> keeper = mixin(line.getCommandSpec(), PendingKeeper.class);
    if (sent.isEmpty()) {
      Output.err(line).println("The same command again does it once.");
      return null;
    }
    if (keeper.isEmpty()) {
      Output.err(line).println("What was signed is not kept.");
      return null;
    }
    try {
      return keeper.get().keep(sent.get());
    } catch (IOException e) {
      Output.err(line).println("What was signed is not kept: " + Printable.of(LocalPaths.words(e)));
      return null;
    }
  }

  private static <T> Optional<T> mixin(CommandSpec command, Class<T> type) {
    return command.mixins().values().stream()
        .map(CommandSpec::userObject)
        .filter(type::isInstance)
        .map(type::cast)
        .findFirst();
  }

  private static String again(Path file, CommandLine line) {
    List<String> words = new ArrayList<>(List.of("tally", "append", "--resend", file.toString()));
    for (OptionSpec option : line.getParseResult().matchedOptions()) {
      String name = option.longestName();
      if (SAME_OPTIONS.contains(name)) {
        words.add(name);
        if (option.arity().max() > 0) {
          words.add(option.originalStringValues().getFirst());
        }
      }
    }
    return String.join(" ", words.stream().map(UnknownOutcome::quoted).toList());
  }

  /// As a shell takes it.
  private static String quoted(String word) {
    return PLAIN_WORD.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
