package io.tallystick.cli.operator;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.cli.terminal.Count;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.Progress;
import io.tallystick.cli.terminal.Refusals;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.Authority;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Backups;
import io.tallystick.proxy.operate.Operator;
import io.tallystick.server.host.LocalNode;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Copies all that a service keeps.
@Command(
    name = "backup",
    description = {
      "Copy all ledgers of a service, which may run meanwhile.",
      "The backup has no keys: copy DATA/keys to another place. Bodies are in it as they are: keep "
          + "it as safe as the data directory.",
      "A running service makes it itself: DIR is a path on its machine, for its user."
    },
    mixinStandardHelpOptions = true)
public final class BackupCommand implements Callable<Integer> {
  @Mixin private Output output = new Output();

  @Parameters(
      paramLabel = "DIR",
      description = "Where the backup goes: made if it does not exist, or empty")
  private Path directory = Path.of("");

  @Option(
      names = "--data",
      paramLabel = "DATA",
      defaultValue = "${env:TALLY_DATA:-./data}",
      description =
          "The data directory of the service (environment: TALLY_DATA). Default: ${DEFAULT-VALUE}")
  private Path data = Path.of("");

  @Option(
      names = "--last",
      description =
          "The service goes on from this backup and not from DATA, where none starts any more. Such "
              + "a backup is restored without --accept-rollback. The service must be stopped")
  private boolean last;

  @Override
  public Integer call() throws Exception {
    if (Files.notExists(data.resolve("meta"))) {
      throw new NoSuchFileException(data.resolve("meta").toString());
    }
    Path to = directory.toAbsolutePath().normalize();
    Progress progress = output.progress("bytes");
    Backups.Taken taken = take(to, progress::update);
    progress.end();
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "Backup of %s in %s: %,d B.",
            Count.of(taken.heads().size(), "ledger"),
            LocalPaths.shown(to),
            taken.bytes()));
    BackupText.append(taken.heads(), text);
    if (taken.damagedFrames() > 0) {
      text.append(System.lineSeparator())
          .append(
              String.format(
                  Locale.ROOT,
                  "WARNING: bodies in %s are damaged, and are in the backup as they are.",
                  Count.of(taken.damagedFrames(), "frame")));
    }
    output.print(text.toString(), object(to, taken));
    return ExitCode.OK;
  }

  private static Map<String, Object> object(Path to, Backups.Taken taken) {
    return Output.object(
        "directory",
        to.toString(),
        "bytes",
        taken.bytes(),
        "nextFrame",
        taken.nextFrame(),
        "damagedFrames",
        taken.damagedFrames(),
        "ledgers",
        BackupText.rows(taken.heads()));
  }

  private Backups.Taken take(Path to, Backups.Progress progress) throws Exception {
    try {
      if (!last) {
        return new Operator(data).backUp(to, progress);
      }
    } catch (SocketException _) {
      // No service runs there, or it has no socket: then it holds the directory, and is named.
    } catch (RequestRejectedException refusal) {
      throw Refusals.of(refusal);
    }
    return takeOfStopped(to, progress);
  }

  private Backups.Taken takeOfStopped(Path to, Backups.Progress progress) throws Exception {
    try (LocalNode node =
        LocalNode.open(
            data,
            new Authority("localhost"),
            SignatureProviders.best(),
            new SimpleMeterRegistry())) {
      return node.backups().orElseThrow().take(to, last, progress);
    } catch (ServiceKeysException | CorruptStreamException e) {
      throw new IOException(e.getMessage(), e);
    } catch (RequestRejectedException refusal) {
      throw Refusals.of(refusal);
    }
  }
}
