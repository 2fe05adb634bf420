package io.tallystick.cli.audit;

import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.HeadText;
import io.tallystick.client.GrantedTime;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Finds the time journal before a time.
@Command(
    name = "last",
    description = {
      "Find the time journal with the latest proven time that is not after a time.",
      "The journal is verified in the ledger. Its token is not judged: `tally audit LEDGER "
          + "--tsa-ca FILE` does that."
    },
    mixinStandardHelpOptions = true)
final class TimeLastCommand implements Callable<Integer> {
  @Mixin private ReadOptions read = new ReadOptions();
  @Mixin private Output output = new Output();

  @Parameters(paramLabel = "LEDGER", description = "Ledger id")
  private String ledgerId = "";

  @Option(
      names = "--at",
      paramLabel = "MS",
      description = "The time, in milliseconds since the Unix epoch. Default: now")
  private long atMs = System.currentTimeMillis();

  @Override
  public Integer call() throws Exception {
    if (atMs < 0) {
      throw new UsageException("--at is 0 or more");
    }
    try (TallyClient client = read.connect()) {
      LedgerHandle ledger = read.open(client, ledgerId, List.of());
      GrantedTime granted = ledger.lastGrantTime(atMs);
      HeadText.print(
          output,
          ledger,
          String.format(
              Locale.ROOT,
              "Journal %s: the first %s leaves existed at %s, says the service of its token.",
              granted.journal().jsn(),
              granted.time().size(),
              Instant.ofEpochMilli(granted.provenMs())),
          Output.object(
              "jsn", granted.journal().jsn().value(),
              "provenMs", granted.provenMs(),
              "size", granted.time().size().value(),
              "root", granted.time().root().digest().hex()));
    }
    return ExitCode.OK;
  }
}
