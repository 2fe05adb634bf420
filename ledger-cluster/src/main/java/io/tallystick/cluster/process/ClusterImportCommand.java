package io.tallystick.cluster.process;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.book.BookKeeperLogs;
import io.tallystick.cluster.book.BookKeeperSettings;
import io.tallystick.cluster.transfer.ClusterImport;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Printable;
import io.tallystick.server.host.ImportRefusedException;
import io.tallystick.server.keys.ServiceKeysException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Makes a shard of a stopped service's data directory.
@Command(
    name = "import",
    description = {
      "Make a shard of the data directory of a service that was stopped: its ledgers go on in the "
          + "cluster, with all their receipts. No service starts on the directory any more.",
      "The cluster has the same authority and lists the same key pairs. Cut short, call it again.",
      "Exit status 3 if the cluster does not take it."
    },
    mixinStandardHelpOptions = true)
public final class ClusterImportCommand implements Callable<Integer> {
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      required = true,
      description = "The data directory of the stopped service, or one that `tally restore` made")
  private Path data = Path.of("");

  @Option(
      names = "--keys",
      paramLabel = "DIR",
      required = true,
      description = "The folder of the service's keys, as the servers have it")
  private Path keys = Path.of("");

  @Option(
      names = "--shard",
      paramLabel = "NUMBER",
      description = "A shard that no server has written yet. Default: a new one")
  private @Nullable Integer shard;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    try (ClusterConnection connection = cluster.connect();
        BookKeeperLogs logs = BookKeeperLogs.connect(BookKeeperSettings.of(cluster.metadata()))) {
      ClusterImport.Imported imported =
          new ClusterImport(
                  connection,
                  logs,
                  SignatureProviders.best(),
                  BatchHasher.cpu(),
                  new SecureRandom())
              .run(
                  data,
                  keys,
                  shard == null ? OptionalInt.empty() : OptionalInt.of(shard),
                  (_, _) -> {});
      Output.out(spec.commandLine())
          .println(
              String.format(
                  Locale.ROOT,
                  "Shard %d of cluster %s has %d ledgers of %s; no service starts there any more",
                  imported.shard(),
                  cluster.cluster(),
                  imported.ledgers(),
                  Printable.of(data.toString())));
      return ExitCode.OK;
    } catch (ImportRefusedException e) {
      Output.err(spec.commandLine())
          .println("tally: nothing was imported: " + Printable.of(String.valueOf(e.getMessage())));
      return ExitCode.REFUSED;
    } catch (ServiceKeysException e) {
      Output.err(spec.commandLine())
          .println("tally: nothing was imported: " + Printable.of(String.valueOf(e.getMessage())));
      return ExitCode.FILE;
    }
  }
}
