package io.tallystick.cli.terminal;

import io.grpc.StatusRuntimeException;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.finding.UnreachableException;
import io.tallystick.client.failure.HeadNotWitnessedException;
import io.tallystick.client.failure.LineageTooLongException;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.StaleHeadException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.TrustStoreException;
import io.tallystick.client.failure.ValueUnavailableException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.wire.Problems;
import io.tallystick.gpu.DeviceUnavailableException;
import io.tallystick.journal.BodyState;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.UnpairedSurrogateException;
import io.tallystick.proxy.StartFailedException;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.InvalidPathException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/// The report of a command that fails, one line, and its exit status.
public final class Failures {
  private static final Pattern WHOLE_NUMBER = Pattern.compile("is not an? (long|int)$");
  private static final Pattern NUMBER = Pattern.compile("is not a (double|float)$");
  private static final Pattern TIME =
      Pattern.compile("cannot convert ('.*') to class java.time.Instant .*$");
  private static final Map<String, String> UNITS =
      Map.of("SECONDS", " of seconds", "S", " of seconds", "MS", " of milliseconds");
  private static final int SUGGESTIONS_MAX = 3;

  private Failures() {}

  /// Lets a command line, with all commands below it, report failures in this way.
  public static void handle(CommandLine commandLine) {
    commandLine.setParameterExceptionHandler((failure, _) -> {
      CommandLine line = failure.getCommandLine();
      String what =
          Objects.requireNonNullElse(failure.getMessage(), "wrong usage")
              .lines()
              .findFirst()
              .orElse("");
      what = inOurWords(what, failure.getArgSpec()) + suggested(failure);
      String words =
          String.format(
              Locale.ROOT,
              "tally: %s; see %s --help",
              Printable.of(what),
              line.getCommandSpec().qualifiedName());
      line.getErr().println(line.getColorScheme().errorText(words));
      return ExitCode.USAGE;
    });
    commandLine.setExecutionExceptionHandler((failure, line, _) -> {
      if (failure instanceof ServiceUnavailableException sent && sent.outcomeUnknown()) {
        UnknownOutcome.tell(sent, line);
        return ExitCode.OUTCOME_UNKNOWN;
      }
      line.getErr()
          .println(line.getColorScheme().errorText("tally: " + Printable.of(explain(failure))));
      int status = exitCode(failure);
      if (status == ExitCode.INTERNAL) {
        StringWriter stack = new StringWriter();
        failure.printStackTrace(new PrintWriter(stack));
        Output.err(line).print(stack.toString().replace("\t", "    "));
        line.getErr().flush();
      }
      return status;
    });
  }

  /// The message of picocli, in our words where it names a type of Java.
  private static String inOurWords(String what, @Nullable ArgSpec option) {
    String unit = option == null ? "" : UNITS.getOrDefault(option.paramLabel(), "");
    String told = WHOLE_NUMBER.matcher(what).replaceFirst("is no whole number" + unit);
    told = NUMBER.matcher(told).replaceFirst("is no number");
    return TIME.matcher(told).replaceFirst("$1 is no time, as 2027-06-30T00:00:00Z");
  }

  /// The suggestions for a misspelt word, as the end of a sentence; empty if there are none.
  private static String suggested(ParameterException failure) {
    if (!(failure instanceof UnmatchedArgumentException unmatched)) {
      return "";
    }
    List<String> meant = unmatched.getSuggestions().stream().limit(SUGGESTIONS_MAX).toList();
    return meant.isEmpty() ? "" : "; did you mean " + String.join(" or ", meant) + "?";
  }

  private static String explain(Exception failure) {
    return switch (failure) {
      case IOException known when known.getCause() instanceof StatusRuntimeException call ->
          explain(Problems.toException("reading the log", call, false));
      case RequestRefusedException refused ->
          "refused (" + refused.code() + "): " + refused.detail();
      case VerificationException evidence -> "EVIDENCE DOES NOT VERIFY: " + evidence.getMessage();
      case ProofRejectedException evidence -> "EVIDENCE DOES NOT VERIFY: " + evidence.getMessage();
      case LogFormatException evidence -> "EVIDENCE DOES NOT VERIFY: " + evidence.getMessage();
      case CorruptStreamException damage -> "EVIDENCE DOES NOT VERIFY: " + damage.getMessage();
      case TallyException known -> String.valueOf(known.getMessage());
      case StartFailedException known -> String.valueOf(known.getMessage());
      case DeviceUnavailableException none ->
          "a GPU is required, and none works: " + none.getMessage();
      case UsageException known -> String.valueOf(known.getMessage());
      case UnpairedSurrogateException text -> String.valueOf(text.getMessage());
      case InvalidPathException path ->
          String.format(
              Locale.ROOT,
              "%s is no file name where names are %s: %s",
              path.getInput(),
              Arguments.localeCharset(),
              path.getReason());
      case StatementException statement ->
          String.format(
              Locale.ROOT,
              "statement refused (%s): %s; nothing was audited",
              statement.reason().name().toLowerCase(Locale.ROOT),
              statement.getMessage());
      case AuditLimitException known -> "neither passed nor failed: " + known.getMessage();
      case IOException known -> LocalPaths.words(known);
      case UncheckedIOException known -> LocalPaths.words(Objects.requireNonNull(known.getCause()));
      case MalformedException known -> String.valueOf(known.getMessage());
      default -> "unexpected: " + failure;
    };
  }

  private static int exitCode(Exception failure) {
    return switch (failure) {
      case IOException known when known.getCause() instanceof StatusRuntimeException call ->
          exitCode(Problems.toException("reading the log", call, false));
      case RequestRefusedException _ -> ExitCode.REFUSED;
      case ValueUnavailableException gone ->
          gone.state() == BodyState.DAMAGED ? ExitCode.EVIDENCE : ExitCode.REFUSED;
      case VerificationException _ -> ExitCode.EVIDENCE;
      case HeadNotWitnessedException _ -> ExitCode.EVIDENCE;
      case ProofRejectedException _ -> ExitCode.EVIDENCE;
      case LogFormatException _ -> ExitCode.EVIDENCE;
      case CorruptStreamException _ -> ExitCode.EVIDENCE;
      case ServiceUnavailableException _ -> ExitCode.UNAVAILABLE;
      case StaleHeadException _ -> ExitCode.UNAVAILABLE;
      case StartFailedException _ -> ExitCode.UNAVAILABLE;
      case DeviceUnavailableException _ -> ExitCode.UNAVAILABLE;
      case UnreachableException _ -> ExitCode.UNAVAILABLE;
      case TrustStoreException _ -> ExitCode.FILE;
      case UsageException _ -> ExitCode.USAGE;
      case UnpairedSurrogateException _ -> ExitCode.USAGE;
      case InvalidPathException _ -> ExitCode.USAGE;
      case IOException _ -> ExitCode.FILE;
      case UncheckedIOException _ -> ExitCode.FILE;
      case StatementException _ -> ExitCode.FILE;
      case AuditLimitException _ -> ExitCode.LIMIT;
      case LineageTooLongException _ -> ExitCode.LIMIT;
      case MalformedException _ -> ExitCode.EVIDENCE;
      default -> ExitCode.INTERNAL;
    };
  }
}
