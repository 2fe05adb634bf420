package io.tallystick.cluster.process;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.book.BookKeeperLogs;
import io.tallystick.cluster.book.BookKeeperSettings;
import io.tallystick.cluster.book.Bookie;
import io.tallystick.cluster.transfer.ClusterRestore;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.master.identity.ClusterExistsException;
import io.tallystick.master.registry.LedgerInTwoShardsException;
import io.tallystick.model.Printable;
import io.tallystick.server.backup.BackupRefusedException;
import io.tallystick.server.host.ImportRefusedException;
import io.tallystick.server.host.LocalRestore;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.storage.stream.CorruptStreamException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Makes a new cluster of a backup.
@Command(
    name = "restore",
    description = {
      "Make a new cluster, --cluster, of a backup of another one. The other one is closed first: "
          + "its servers can never write again. Bookies run; servers, masters and proxies of the "
          + "new one are started afterwards, with new folders.",
      "Cut short, call it again with the same --work.",
      "Exit status 3 if it would take back what clients may hold, or if the cluster is there; 4 if "
          + "the backup is damaged."
    },
    mixinStandardHelpOptions = true)
public final class ClusterRestoreCommand implements Callable<Integer> {
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Option(
      names = "--from",
      paramLabel = "DIR",
      required = true,
      description = "The folder that `tally cluster backup` made")
  private Path from = Path.of("");

  @Option(
      names = "--keys",
      paramLabel = "DIR",
      required = true,
      description = "The folder of the service's keys")
  private Path keys = Path.of("");

  @Option(
      names = "--work",
      paramLabel = "DIR",
      defaultValue = "./restore-work",
      description =
          "A folder of its own with room for all shards, deleted at the end. Default: "
              + "${DEFAULT-VALUE}")
  private Path work = Path.of("");

  @Option(
      names = "--old-cluster-is-gone",
      description =
          "The other cluster's ZooKeeper or bookies are lost for good, and none of its processes "
              + "runs or will")
  private boolean oldIsGone;

  @Option(
      names = "--accept-rollback",
      description =
          "What was acknowledged after the backup is lost. Clients that hold newer heads will see "
              + "it")
  private boolean acceptRollback;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    boolean _ = Bookie.found(cluster.metadata());
    try (BookKeeperLogs logs = BookKeeperLogs.connect(BookKeeperSettings.of(cluster.metadata()))) {
      ClusterRestore.Restored restored =
          new ClusterRestore(
                  from,
                  keys,
                  work,
                  logs,
                  SignatureProviders.best(),
                  BatchHasher.cpu(),
                  new SecureRandom())
              .run(
                  name -> ClusterConnection.open(cluster.zooKeeper(), name),
                  cluster.cluster(),
                  oldIsGone,
                  acceptRollback,
                  new LocalRestore.Watch() {
                    @Override
                    public void isAt(long bytes, long all) {}
                  });
      Output.out(spec.commandLine())
          .println(
              String.format(
                  Locale.ROOT,
                  "Cluster %s has %d ledgers in %d shards, as of %s",
                  cluster.cluster(),
                  restored.ledgers(),
                  restored.shards(),
                  Instant.ofEpochMilli(restored.takenMs())));
      return ExitCode.OK;
    } catch (BackupRefusedException e) {
      return refused(e.reason(), String.valueOf(e.getMessage()));
    } catch (CorruptStreamException | LedgerInTwoShardsException e) {
      return refused(BackupRefusedException.Reason.DAMAGED, String.valueOf(e.getMessage()));
    } catch (ServiceKeysException e) {
      return refused(BackupRefusedException.Reason.KEYS, String.valueOf(e.getMessage()));
    } catch (ClusterExistsException | ImportRefusedException e) {
      return refused(BackupRefusedException.Reason.NOT_EMPTY, String.valueOf(e.getMessage()));
    }
  }

  private int refused(BackupRefusedException.Reason reason, String detail) {
    Output.err(spec.commandLine())
        .println(
            String.format(
                Locale.ROOT,
                "tally: nothing was restored (%s): %s%s",
                reason.name().toLowerCase(Locale.ROOT),
                Printable.of(detail),
                reason == BackupRefusedException.Reason.ROLLBACK
                    ? ". If the newer data is lost for good, repeat with --accept-rollback"
                    : ""));
    return switch (reason) {
      case NO_BACKUP, NEWER_FORMAT, KEYS -> ExitCode.FILE;
      case DAMAGED -> ExitCode.EVIDENCE;
      case ROLLBACK, WITNESSED, NOT_EMPTY -> ExitCode.REFUSED;
    };
  }
}
