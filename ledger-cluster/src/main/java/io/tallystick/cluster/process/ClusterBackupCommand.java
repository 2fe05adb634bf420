package io.tallystick.cluster.process;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.book.BookKeeperLogs;
import io.tallystick.cluster.book.BookKeeperSettings;
import io.tallystick.cluster.transfer.ClusterBackup;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Printable;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.ship.SavepointRefusedException;
import io.tallystick.storage.stream.CorruptStreamException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Makes a backup of a cluster that runs.
@Command(
    name = "backup",
    description = {
      "Make a backup of a cluster that runs: of each shard all that is durable when it is its turn. "
          + "Appends go on; what is erased meanwhile may wait, a day at most.",
      "It has no keys. A shard's folder in it is a backup that `tally restore` takes, too.",
      "Exit status 4 if a shard is damaged."
    },
    mixinStandardHelpOptions = true)
public final class ClusterBackupCommand implements Callable<Integer> {
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Option(
      names = "--out",
      paramLabel = "DIR",
      required = true,
      description = "The folder of the backup: it does not exist, or is empty")
  private Path out = Path.of("");

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    try (ClusterConnection connection = cluster.connect();
        BookKeeperLogs logs = BookKeeperLogs.connect(BookKeeperSettings.of(cluster.metadata()))) {
      ClusterBackup.Taken taken =
          new ClusterBackup(
                  connection,
                  logs,
                  SignatureProviders.best(),
                  BatchHasher.cpu(),
                  new SecureRandom())
              .run(out, (_, _) -> {});
      Output.out(spec.commandLine())
          .println(
              String.format(
                  Locale.ROOT,
                  "Backed up cluster %s to %s: %d ledgers in %d shards, %d bytes%s",
                  cluster.cluster(),
                  Printable.of(out.toString()),
                  taken.ledgers(),
                  taken.shards(),
                  taken.bytes(),
                  taken.damagedFrames() == 0
                      ? ""
                      : String.format(
                          Locale.ROOT, "; %d frames have damaged bodies", taken.damagedFrames())));
      return ExitCode.OK;
    } catch (CorruptStreamException e) {
      return failed(" (damaged)", e, ExitCode.EVIDENCE);
    } catch (ServiceKeysException e) {
      return failed("", e, ExitCode.FILE);
    } catch (SavepointRefusedException e) {
      return failed("", e, ExitCode.UNAVAILABLE);
    }
  }

  private int failed(String how, Exception why, int status) {
    Output.err(spec.commandLine())
        .println("tally: no backup" + how + ": " + Printable.of(String.valueOf(why.getMessage())));
    return status;
  }
}
