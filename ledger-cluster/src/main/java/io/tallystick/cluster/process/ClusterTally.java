package io.tallystick.cluster.process;

import io.tallystick.cli.terminal.Arguments;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Failures;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cluster.NoZooKeeperException;
import io.tallystick.master.identity.ClusterExistsException;
import io.tallystick.master.identity.OtherClusterException;
import io.tallystick.model.Printable;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.keys.ServiceKeysException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IVersionProvider;

/// The commands of the `tally` command that run processes of a cluster. They are apart, because
/// they alone need BookKeeper and ZooKeeper.
@Command(
    name = "tally",
    description = "The processes of a cluster.",
    mixinStandardHelpOptions = true,
    versionProvider = ClusterTally.Version.class,
    sortOptions = false,
    subcommands = {
      ServerCommand.class,
      ProxyCommand.class,
      MasterCommand.class,
      BookieCommand.class,
      ZooKeeperCommand.class,
      ClusterCommand.class
    })
public final class ClusterTally {
  private ClusterTally() {}

  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"tally " + TallystickService.version()};
    }
  }

  public static void main(String[] args) {
    String[] words = Arguments.ofThisProcess(args);
    ProcessLog.quieten();
    if (List.of(words).indexOf("cluster") == 0 && !List.of(words).contains("trial")) {
      ProcessLog.quietenCommand();
    }
    CommandLine commandLine = commandLine();
    commandLine.setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    commandLine.setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
    System.exit(commandLine.execute(words));
  }

  static CommandLine commandLine() {
    CommandLine commandLine = new CommandLine(new ClusterTally());
    commandLine.setCaseInsensitiveEnumValuesAllowed(true);
    Failures.handle(commandLine);
    IExecutionExceptionHandler others = commandLine.getExecutionExceptionHandler();
    commandLine.setExecutionExceptionHandler((failure, line, parsed) -> {
      Optional<Integer> known = known(failure);
      if (known.isEmpty()) {
        return others.handleExecutionException(failure, line, parsed);
      }
      Output.err(line).println("tally: " + Printable.of(String.valueOf(failure.getMessage())));
      return known.get();
    });
    return commandLine;
  }

  /// The exit status of a failure of which `tally` alone knows nothing.
  private static Optional<Integer> known(Exception failure) {
    return switch (failure) {
      case NoZooKeeperException _ -> Optional.of(ExitCode.UNAVAILABLE);
      case ServiceKeysException _ -> Optional.of(ExitCode.FILE);
      case OtherClusterException _ -> Optional.of(ExitCode.REFUSED);
      case ClusterExistsException _ -> Optional.of(ExitCode.REFUSED);
      default -> Optional.empty();
    };
  }
}
