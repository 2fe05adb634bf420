package io.tallystick.cli.audit;

import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.text.HeadText;
import io.tallystick.client.GrantedTime;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.StampedTime;
import io.tallystick.client.TallyClient;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// Asks for a time journal of the newest head.
@Command(
    name = "request",
    description = {
      "Have the newest head stamped now, by the service's time authorities or its T-Ledger.",
      "The reader (--reader-key) is a member that may append. The time journal is verified in the "
          + "ledger. Its token is not judged: `tally audit LEDGER --tsa-ca FILE` does that."
    },
    mixinStandardHelpOptions = true)
final class TimeRequestCommand implements Callable<Integer> {
  @Mixin private ReadOptions read = new ReadOptions();
  @Mixin private Output output = new Output();

  @Parameters(paramLabel = "LEDGER", description = "Ledger id")
  private String ledgerId = "";

  @Override
  public Integer call() throws Exception {
    try (TallyClient client = read.connect()) {
      LedgerHandle ledger = read.open(client, ledgerId, List.of());
      StampedTime requested = ledger.anchors().requestTime();
      GrantedTime granted = requested.granted();
      HeadText.print(
          output,
          ledger,
          String.format(
              Locale.ROOT,
              "Journal %s%s: the first %s leaves existed at %s, says the service of its token.",
              granted.journal().jsn(),
              requested.existed() ? ", which was there" : "",
              granted.time().size(),
              Instant.ofEpochMilli(granted.provenMs())),
          Output.object(
              "jsn", granted.journal().jsn().value(),
              "timeMs", granted.journal().leaf().timeMs(),
              "provenMs", granted.provenMs(),
              "size", granted.time().size().value(),
              "root", granted.time().root().digest().hex(),
              "existed", requested.existed()));
    }
    return ExitCode.OK;
  }
}
