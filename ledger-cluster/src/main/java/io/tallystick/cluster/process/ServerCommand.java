package io.tallystick.cluster.process;

import io.tallystick.certificate.CertificateAuthorities;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cluster.health.ManagementServer;
import io.tallystick.cluster.health.ProcessMeters;
import io.tallystick.cluster.server.ClusterServer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.proxy.MemberAuthorities;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.storage.meta.RocksMetaStore;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Runs one server of a cluster until it is told to stop.
@Command(
    name = "server",
    description = {
      "Run a server of a cluster in this process until it is interrupted.",
      "It commits and serves the shards that masters place on it. Its folder holds indexes, which "
          + "can be made again; what is durable is in the bookies. --settings may name the "
          + "authorities of members' certificates (tallystick.members.ca)."
    },
    mixinStandardHelpOptions = true)
public final class ServerCommand implements Callable<Integer> {
  @Option(
      names = "--id",
      converter = CheckedWords.Name.class,
      paramLabel = "NAME",
      required = true,
      description = "Its name, unique in the cluster")
  private String id = "";

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "${env:TALLY_DATA:-./server}",
      description =
          "The folder of its indexes, made if it does not exist (environment: TALLY_DATA). Default: "
              + "${DEFAULT-VALUE}")
  private Path data = Path.of("");

  @Option(
      names = "--keys",
      paramLabel = "DIR",
      required = true,
      description = "The folder of the service's keys, note.pem and receipt.pem: never written")
  private Path keys = Path.of("");

  @Option(
      names = "--address",
      paramLabel = "IP",
      defaultValue = "127.0.0.1",
      description =
          "The address at which proxies find it; one that is not loopback needs certificates. "
              + "Default: ${DEFAULT-VALUE}")
  private String address = "";

  @Option(
      names = "--port",
      converter = CheckedWords.Port.class,
      defaultValue = "4520",
      description = "The port for proxies; 0 takes a free one. Default: ${DEFAULT-VALUE}")
  private int port;

  @Option(
      names = "--shards-max",
      paramLabel = "COUNT",
      defaultValue = "16",
      description = "How many shards it writes at most. Default: ${DEFAULT-VALUE}")
  private int share;

  @Option(
      names = "--submitters",
      paramLabel = "FILE",
      description =
          "The list of who may submit heads to the cluster's T-Ledger, as `tally up` has it. "
              + "Without one nobody may")
  private @Nullable Path submitters;

  @Mixin private ServiceSettingsOption settings = new ServiceSettingsOption();

  @Option(
      names = "--ship-journals",
      paramLabel = "COUNT",
      defaultValue = "100000",
      description =
          "A shard's savepoint is shipped after so many journals. Default: ${DEFAULT-VALUE}")
  private long shipJournals;

  @Option(
      names = "--ship-seconds",
      paramLabel = "COUNT",
      defaultValue = "60",
      description = "And after so long when anything changed. Default: ${DEFAULT-VALUE}")
  private long shipSeconds;

  @Mixin private ManagementOptions management = new ManagementOptions();
  @Mixin private ClusterOptions cluster = new ClusterOptions();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    ProcessLog.begin();
    RocksMetaStore.loadLibrary(data.resolve("native"));
    ProcessMeters meters = new ProcessMeters();
    try (ManagementServer health = management.start(data, ManagementOptions.SERVER_PORT, meters)) {
      return run(health, meters);
    }
  }

  private int run(ManagementServer health, ProcessMeters meters) throws Exception {
    ClusterServer server =
        ClusterServer.start(
            new ClusterServer.Settings(
                cluster.zooKeeper(),
                cluster.metadata(),
                cluster.cluster(),
                id,
                data,
                keys,
                new InetSocketAddress(address, port),
                cluster.tls(),
                share,
                authorities(),
                Optional.ofNullable(submitters),
                new ShardConfig.Shipping(shipJournals, TimeUnit.SECONDS.toMillis(shipSeconds))),
            SignatureProviders.best(),
            meters::ofShard);
    server.register(meters.ofProcess());
    health.tell(server::health);
    Stopping stopping = Stopping.of(health.with(server));
    Output.out(spec.commandLine())
        .println(
            String.format(
                Locale.ROOT,
                "Server %s of cluster %s on %s:%d, health and metrics on port %d, indexes in %s",
                id,
                cluster.cluster(),
                address,
                server.port(),
                health.port(),
                LocalPaths.shown(data.toAbsolutePath().normalize())));
    if (stopping.await(() -> server.ended().isEmpty())) {
      return ExitCode.OK;
    }
    Output.err(spec.commandLine()).println("tally: " + server.ended().orElse("ended"));
    return ExitCode.UNAVAILABLE;
  }

  private Optional<CertificateAuthorities> authorities() throws UsageException, IOException {
    try {
      return MemberAuthorities.of(settings.read());
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }
}
