package io.tallystick.cli.audit;

import io.grpc.ManagedChannel;
import io.tallystick.audit.export.TimeExport;
import io.tallystick.audit.export.TimeExport.Exported;
import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.terminal.Count;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.Progress;
import io.tallystick.client.ServiceChannel;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.head.SignedHead;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Writes a log's time-stamp tokens for tools of others.
@Command(
    name = "export",
    description = {
      "Write a ledger's time-stamp tokens, so that openssl alone verifies them.",
      "For each token there are JSN.tst, the token; JSN.head, the signed lines that it stamps; "
          + "and a line in commands.txt.",
      "The stamped heads are compared with the log, the tokens are not judged: `tally audit "
          + "LEDGER --tsa-ca FILE` does that."
    },
    mixinStandardHelpOptions = true)
final class TimeExportCommand implements Callable<Integer> {
  @Mixin private ReadOptions read = new ReadOptions();
  @Mixin private AuditedLogOptions log = new AuditedLogOptions();
  @Mixin private Output output = new Output();

  @Parameters(
      paramLabel = "LEDGER|URL",
      description = "The ledger id, or the URL of a public log, https://HOST/l/LEDGER/0")
  private String ledgerId = "";

  @Option(
      names = "--out",
      paramLabel = "DIR",
      required = true,
      description = "The folder to write to, made if it does not exist; else empty")
  private Path folder = Path.of("");

  @Override
  public Integer call() throws Exception {
    try (AuditedLogOptions _ = log) {
      return export(log.ledger(ledgerId));
    }
  }

  private int export(LedgerId ledger) throws Exception {
    log.check();
    LocalPaths.checkNoFile(folder);
    if (!log.asksService()) {
      read.checkNoAge("--copy or --tiles");
    }
    Signatures signatures = SignatureProviders.best();
    Optional<SignedHead> trusted =
        log.asksService()
            ? read.trusted(ledger, signatures)
            : TrustedLog.saved(read.service().trust(), ledger, signatures);
    ManagedChannel channel = ServiceChannel.reading(read.config(), ledger);
    Progress progress = output.progress("leaves");
    try {
      TimeExport export =
          new TimeExport(folder, signatures, (done, total, _) -> progress.update(done, total));
      Exported exported =
          export.write(
              new StrandId(ledger, 0), log.source(read.service(), channel, ledger, false), trusted);
      progress.end();
      output.print(
          text(exported),
          Output.object(
              "size", exported.size(),
              "root", exported.root().hex(),
              "tokens", exported.tokens(),
              "others", exported.others(),
              "dir", folder.toString()));
      return ExitCode.OK;
    } finally {
      channel.shutdownNow();
    }
  }

  private String text(Exported exported) {
    String line =
        String.format(
            Locale.ROOT,
            "%s exported to %s; %s has a command for each",
            Count.of(exported.tokens(), "token"),
            LocalPaths.shown(folder),
            TimeExport.COMMANDS);
    return exported.others() == 0
        ? line
        : line
            + System.lineSeparator()
            + Count.of(exported.others(), "time journal")
            + " of another ledger's word, without a token";
  }
}
