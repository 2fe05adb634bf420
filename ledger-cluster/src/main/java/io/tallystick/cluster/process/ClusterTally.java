package io.tallystick.cluster.process;

import io.tallystick.cli.terminal.Arguments;
import io.tallystick.cli.terminal.Failures;
import io.tallystick.proxy.TallystickService;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Command;
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
    CommandLine commandLine = commandLine();
    commandLine.setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    commandLine.setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
    System.exit(commandLine.execute(words));
  }

  static CommandLine commandLine() {
    CommandLine commandLine = new CommandLine(new ClusterTally());
    commandLine.setCaseInsensitiveEnumValuesAllowed(true);
    Failures.handle(commandLine);
    return commandLine;
  }
}
