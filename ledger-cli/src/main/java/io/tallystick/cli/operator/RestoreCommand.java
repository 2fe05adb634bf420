package io.tallystick.cli.operator;

import io.tallystick.cli.option.CommandHashing;
import io.tallystick.cli.option.GpuOptions;
import io.tallystick.cli.terminal.Count;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.Progress;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.Printable;
import io.tallystick.model.StrandId;
import io.tallystick.server.backup.BackupManifest;
import io.tallystick.server.backup.BackupRefusedException;
import io.tallystick.server.host.LocalRestore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Makes a data directory of a backup.
@Command(
    name = "restore",
    description = {
      "Make a data directory of a backup, for `tally up` to start on.",
      "Every file is checked, the frames are replayed, the indexes are made again, and removals "
          + "that the log has are carried out.",
      "Exit status 3 if it would take back what clients may hold, 4 if the backup is damaged."
    },
    mixinStandardHelpOptions = true)
public final class RestoreCommand implements Callable<Integer> {
  @Mixin private Output output = new Output();

  @Parameters(paramLabel = "BACKUP", description = "The directory that `tally backup` made")
  private Path backup = Path.of("");

  @Parameters(
      paramLabel = "DATA",
      description = "The data directory to make: it does not exist, or is empty")
  private Path data = Path.of("");

  @Option(
      names = "--keys",
      paramLabel = "DIR",
      required = true,
      description = "The service's keys: a copy of the folder `keys` of its data directory")
  private Path keys = Path.of("");

  @Option(
      names = "--accept-rollback",
      description =
          "The service has gone on after this backup, and what it acknowledged since is lost. "
              + "Clients that hold newer heads will see it")
  private boolean acceptRollback;

  @Mixin private GpuOptions gpu = new GpuOptions();

  @Override
  public Integer call() throws Exception {
    Seen seen = new Seen(output.progress("bytes"), output.progress("leaves"));
    BackupManifest restored;
    try (CommandHashing hashing = CommandHashing.open(gpu.mode(), output.err())) {
      restored =
          new LocalRestore(backup, data, keys, SignatureProviders.best(), hashing.hasher())
              .run(acceptRollback, seen);
    } catch (BackupRefusedException refusal) {
      seen.end();
      return refused(refusal.reason(), String.valueOf(refusal.getMessage()));
    } catch (CorruptStreamException damage) {
      seen.end();
      return refused(BackupRefusedException.Reason.DAMAGED, String.valueOf(damage.getMessage()));
    }
    seen.end();
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "Restored %s into %s, as of %s.",
            Count.of(restored.heads().size(), "ledger"),
            LocalPaths.shown(data),
            Instant.ofEpochMilli(restored.takenMs())));
    BackupText.append(restored.heads(), text);
    output.print(
        text.toString(),
        Output.object("takenMs", restored.takenMs(), "ledgers", BackupText.rows(restored.heads())));
    return ExitCode.OK;
  }

  private int refused(BackupRefusedException.Reason reason, String detail) {
    String code = reason.name().toLowerCase(Locale.ROOT);
    String advice =
        reason == BackupRefusedException.Reason.ROLLBACK
            ? ". If the newer data is lost for good, repeat with --accept-rollback"
            : "";
    output
        .err()
        .println(
            String.format(
                Locale.ROOT,
                "tally: nothing was restored (%s): %s%s",
                code,
                Printable.of(detail),
                advice));
    return switch (reason) {
      case NOT_EMPTY, NO_BACKUP, NEWER_FORMAT, KEYS -> ExitCode.FILE;
      case DAMAGED -> ExitCode.EVIDENCE;
      case ROLLBACK, WITNESSED -> ExitCode.REFUSED;
    };
  }

  /// First bytes are copied, then leaves are checked.
  private static final class Seen implements LocalRestore.Watch {
    private final Progress bytes;
    private final Progress leaves;

    Seen(Progress bytes, Progress leaves) {
      this.bytes = bytes;
      this.leaves = leaves;
    }

    @Override
    public void isAt(long done, long all) {
      bytes.update(done, all);
    }

    @Override
    public void isChecked(StrandId strand, long done) {
      leaves.update(done, 0);
    }

    @Override
    public void isAt(StrandId strand, long done, long all) {
      leaves.update(done, all);
    }

    void end() {
      bytes.end();
      leaves.end();
    }
  }
}
