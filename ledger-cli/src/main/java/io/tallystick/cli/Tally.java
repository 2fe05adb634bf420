package io.tallystick.cli;

import io.grpc.StatusRuntimeException;
import io.tallystick.audit.AuditLimitException;
import io.tallystick.audit.LogFormatException;
import io.tallystick.audit.StatementException;
import io.tallystick.audit.UnreachableException;
import io.tallystick.client.LineageTooLongException;
import io.tallystick.client.RequestRefusedException;
import io.tallystick.client.ServiceUnavailableException;
import io.tallystick.client.TallyException;
import io.tallystick.client.TrustStoreException;
import io.tallystick.client.VerificationException;
import io.tallystick.client.wire.Problems;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.proxy.StartFailedException;
import io.tallystick.proxy.TallystickService;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/// The `tally` command: runs the service, and does for a user, an operator and an auditor what the
/// SDK does for programs.
@Command(
    name = "tally",
    description = "A ledger-as-a-service whose every proof is checked by tools that others wrote.",
    mixinStandardHelpOptions = true,
    versionProvider = Tally.Version.class,
    sortOptions = false,
    footer = {
      "",
      "Exit status: 0 done; 1 unexpected; 2 usage; 3 refused by the service;",
      "4 evidence does not verify; 5 service unavailable; 6 local file;",
      "7 log beyond what an audit keeps in memory."
    })
public final class Tally {
  private static final List<Class<?>> COMMANDS =
      List.of(
          UpCommand.class,
          RebuildCommand.class,
          DemoCommand.class,
          KeygenCommand.class,
          LedgerCommand.class,
          MemberCommand.class,
          AppendCommand.class,
          GetCommand.class,
          ListCommand.class,
          LineageCommand.class,
          ClueCommand.class,
          VerifyCommand.class,
          TokenCommand.class,
          InviteCommand.class,
          AuditCommand.class,
          ExportCommand.class,
          BenchCommand.class,
          TrainCommand.class);

  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"tally " + TallystickService.version()};
    }
  }

  public static void main(String[] args) {
    System.exit(commandLine(args).execute(args));
  }

  /// Knows all commands, or only the one that the first argument names: reading what each of them
  /// takes is a sixth of the service's start.
  static CommandLine commandLine(String... args) {
    CommandLine commandLine = new CommandLine(new Tally());
    List<Class<?>> named =
        COMMANDS.stream().filter(command -> args.length > 0 && isNamed(command, args[0])).toList();
    (named.isEmpty() ? COMMANDS : named).forEach(commandLine::addSubcommand);
    commandLine.setCaseInsensitiveEnumValuesAllowed(true);
    commandLine.setParameterExceptionHandler((failure, _) -> {
      CommandLine line = failure.getCommandLine();
      String what =
          Objects.requireNonNullElse(failure.getMessage(), "wrong usage")
              .lines()
              .findFirst()
              .orElse("");
      String words =
          "tally: %s; see %s --help"
              .formatted(Printable.of(what), line.getCommandSpec().qualifiedName());
      line.getErr().println(line.getColorScheme().errorText(words));
      return ExitCode.USAGE;
    });
    commandLine.setExecutionExceptionHandler((failure, line, _) -> {
      line.getErr()
          .println(line.getColorScheme().errorText("tally: " + Printable.of(explain(failure))));
      return exitCode(failure);
    });
    return commandLine;
  }

  private static boolean isNamed(Class<?> command, String name) {
    return command.getAnnotation(Command.class).name().equals(name);
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
      case TallyException known -> String.valueOf(known.getMessage());
      case StartFailedException known -> String.valueOf(known.getMessage());
      case UserErrorException known -> String.valueOf(known.getMessage());
      case StatementException statement ->
          "statement refused (%s): %s; nothing was audited"
              .formatted(
                  statement.reason().name().toLowerCase(Locale.ROOT), statement.getMessage());
      case AuditLimitException known -> "neither passed nor failed: " + known.getMessage();
      case IOException known -> LocalPaths.words(known);
      case MalformedException known -> String.valueOf(known.getMessage());
      default -> "unexpected: " + failure;
    };
  }

  private static int exitCode(Exception failure) {
    return switch (failure) {
      case IOException known when known.getCause() instanceof StatusRuntimeException call ->
          exitCode(Problems.toException("reading the log", call, false));
      case RequestRefusedException _ -> ExitCode.REFUSED;
      case VerificationException _ -> ExitCode.EVIDENCE;
      case ProofRejectedException _ -> ExitCode.EVIDENCE;
      case LogFormatException _ -> ExitCode.EVIDENCE;
      case ServiceUnavailableException _ -> ExitCode.UNAVAILABLE;
      case StartFailedException _ -> ExitCode.UNAVAILABLE;
      case UnreachableException _ -> ExitCode.UNAVAILABLE;
      case TrustStoreException _ -> ExitCode.FILE;
      case UserErrorException _ -> ExitCode.USAGE;
      case IOException _ -> ExitCode.FILE;
      case StatementException _ -> ExitCode.FILE;
      case AuditLimitException _ -> ExitCode.LIMIT;
      case LineageTooLongException _ -> ExitCode.LIMIT;
      case MalformedException _ -> ExitCode.EVIDENCE;
      default -> {
        failure.printStackTrace();
        yield ExitCode.INTERNAL;
      }
    };
  }
}
