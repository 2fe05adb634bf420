package io.tallystick.cluster.process;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cluster.health.ManagementServer;
import io.tallystick.storage.disk.DataDirectoryLock;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Starts a whole cluster on this machine, each role in a process of its own.
@Command(
    name = "trial",
    description = {
      "Start a cluster on this machine, on loopback: ZooKeeper, 3 bookies, 2 masters, 2 servers and "
          + "2 proxies, each in a process of its own, until it is interrupted.",
      "Kill any of them and see. Started again in the same folder, it goes on with the same ledgers."
    },
    mixinStandardHelpOptions = true)
public final class TrialCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "DIR",
      description = "The folder of all their files, made if it does not exist")
  private Path folder = Path.of("");

  @Option(
      names = "--shards",
      paramLabel = "COUNT",
      defaultValue = "4",
      description = "How many shards a new cluster has. Default: ${DEFAULT-VALUE}")
  private int shards;

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      defaultValue = "256m",
      description = "The heap of each process. Default: ${DEFAULT-VALUE}")
  private String heap = "";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    Path there = folder.toAbsolutePath().normalize();
    try (DataDirectoryLock _ =
        DataDirectoryLock.acquire(
            Files.createDirectories(there.resolve(ManagementServer.PROCESS)))) {
      return run(there);
    }
  }

  private int run(Path there) throws Exception {
    PrintWriter out = Output.out(spec.commandLine());
    ClusterTrial trial =
        new ClusterTrial(
            there,
            heap,
            line -> {
              out.println(line);
              out.flush();
            });
    Stopping stopping = Stopping.of(trial);
    try {
      trial.start(shards);
    } catch (IOException | InterruptedException | RuntimeException e) {
      trial.close();
      throw e;
    }
    List<String> proxies = trial.proxies();
    out.println(
        String.format(
            Locale.ROOT,
            "The cluster runs. Clients: --service %s (or %s). Logs and pids: %s. Its state: tally "
                + "cluster status --zookeeper %s",
            proxies.get(0),
            proxies.get(1),
            LocalPaths.shown(there.resolve("log")),
            trial.zooKeeper()));
    out.flush();
    return stopping.await(() -> true) ? ExitCode.OK : ExitCode.UNAVAILABLE;
  }
}
