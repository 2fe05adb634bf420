package io.tallystick.cli;

import io.tallystick.cli.audit.AnchorCommand;
import io.tallystick.cli.audit.AuditCommand;
import io.tallystick.cli.audit.EvidenceCommand;
import io.tallystick.cli.audit.ExportCommand;
import io.tallystick.cli.audit.TimeCommand;
import io.tallystick.cli.audit.VerifyCommand;
import io.tallystick.cli.demo.DemoCommand;
import io.tallystick.cli.journal.AppendCommand;
import io.tallystick.cli.journal.ClueCommand;
import io.tallystick.cli.journal.GetCommand;
import io.tallystick.cli.journal.LineageCommand;
import io.tallystick.cli.journal.ListCommand;
import io.tallystick.cli.member.InviteCommand;
import io.tallystick.cli.member.KeygenCommand;
import io.tallystick.cli.member.LedgerCommand;
import io.tallystick.cli.member.MemberCommand;
import io.tallystick.cli.member.TokenCommand;
import io.tallystick.cli.operator.BackupCommand;
import io.tallystick.cli.operator.HealthCommand;
import io.tallystick.cli.operator.KeysCommand;
import io.tallystick.cli.operator.PruneCommand;
import io.tallystick.cli.operator.RebuildCommand;
import io.tallystick.cli.operator.RestoreCommand;
import io.tallystick.cli.operator.TrainCommand;
import io.tallystick.cli.operator.UpCommand;
import io.tallystick.cli.operator.WritableCommand;
import io.tallystick.cli.proposal.ProposalCommand;
import io.tallystick.cli.proposal.ProposeCommand;
import io.tallystick.cli.proposal.SignCommand;
import io.tallystick.cli.proposal.SubmitCommand;
import io.tallystick.cli.removal.ErasureCommand;
import io.tallystick.cli.removal.PurgeCommand;
import io.tallystick.cli.state.StateCommand;
import io.tallystick.cli.terminal.Arguments;
import io.tallystick.cli.terminal.Failures;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.proxy.TallystickService;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

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
      "`tally bench --help` measures the service on this machine.",
      "`tally cluster --help`, and likewise server, proxy, master, bookie, zookeeper.",
      "",
      "Exit status: 0 done; 1 unexpected; 2 usage; 3 refused by the service;",
      "4 evidence does not verify; 5 service unavailable; 6 local file;",
      "7 log beyond what an audit keeps in memory; 8 the outcome is unknown."
    })
public final class Tally {
  private static final List<Class<?>> COMMANDS =
      List.of(
          UpCommand.class,
          BackupCommand.class,
          RestoreCommand.class,
          RebuildCommand.class,
          PruneCommand.class,
          WritableCommand.class,
          KeysCommand.class,
          HealthCommand.class,
          DemoCommand.class,
          KeygenCommand.class,
          LedgerCommand.class,
          MemberCommand.class,
          ProposeCommand.class,
          SignCommand.class,
          SubmitCommand.class,
          ProposalCommand.class,
          AppendCommand.class,
          GetCommand.class,
          ListCommand.class,
          LineageCommand.class,
          ClueCommand.class,
          StateCommand.class,
          VerifyCommand.class,
          AnchorCommand.class,
          TokenCommand.class,
          InviteCommand.class,
          AuditCommand.class,
          EvidenceCommand.class,
          ErasureCommand.class,
          PurgeCommand.class,
          ExportCommand.class,
          TimeCommand.class,
          TrainCommand.class,
          HelpCommand.class);

  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"tally " + TallystickService.version()};
    }
  }

  public static void main(String[] args) {
    String[] words = Arguments.ofThisProcess(args);
    CommandLine commandLine = commandLine(words);
    // In every locale; what a terminal of another character set does with it is its own affair.
    commandLine.setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    commandLine.setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
    System.exit(commandLine.execute(words));
  }

  /// Knows all commands, or only the one that the first argument names: reading what each of them
  /// takes is a sixth of the service's start.
  static CommandLine commandLine(String... args) {
    CommandLine commandLine = new CommandLine(new Tally());
    commandLine.setExpandAtFiles(Arrays.stream(args).allMatch(Tally::isReadable));
    List<Class<?>> named =
        COMMANDS.stream().filter(command -> args.length > 0 && isNamed(command, args[0])).toList();
    boolean all = named.isEmpty() || named.contains(HelpCommand.class);
    (all ? COMMANDS : named).forEach(commandLine::addSubcommand);
    commandLine.setCaseInsensitiveEnumValuesAllowed(true);
    commandLine.setExecutionStrategy(parsed -> {
      checkWords(parsed);
      checkCommands(parsed);
      return new CommandLine.RunLast().execute(parsed);
    });
    Failures.handle(commandLine);
    return commandLine;
  }

  /// A file of arguments that is a pipe or a device is not waited for: its name stays as it is,
  /// which no command takes.
  private static boolean isReadable(String argument) {
    if (!argument.startsWith("@") || argument.startsWith("@@")) {
      return true;
    }
    try {
      Path file = Path.of(argument.substring(1));
      return Files.notExists(file) || Files.isRegularFile(file);
    } catch (InvalidPathException _) {
      return true;
    }
  }

  private static boolean isNamed(Class<?> command, String name) {
    return command.getAnnotation(Command.class).name().equals(name);
  }

  private static void checkWords(ParseResult parsed) {
    try {
      Arguments.check(parsed.originalArgs());
    } catch (UsageException e) {
      throw new ParameterException(
          parsed.commandSpec().commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  /// With `--help` a group of commands takes any word; one that names no command is wrong there,
  /// too.
  private static void checkCommands(ParseResult parsed) {
    CommandLine line = parsed.commandSpec().commandLine();
    if (parsed.hasSubcommand()) {
      checkCommands(parsed.subcommand());
    } else if (!line.getSubcommands().isEmpty() && !parsed.unmatched().isEmpty()) {
      throw new ParameterException(
          line,
          String.format(Locale.ROOT, "there is no command '%s'", parsed.unmatched().getFirst()));
    }
  }
}
