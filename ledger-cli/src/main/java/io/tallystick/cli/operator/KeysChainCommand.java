package io.tallystick.cli.operator;

import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.text.HeadText;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.trust.ServiceTrust;
import io.tallystick.head.ServiceKeys;
import io.tallystick.model.Printable;
import io.tallystick.note.NoteKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Shows the keys by which a ledger's heads are judged.
@Command(
    name = "chain",
    description = {
      "Show the service's keys of a ledger, each with the sizes it signs, verified from genesis.",
      "The file is the evidence, with which receipts are verified offline (`tally verify`)."
    },
    mixinStandardHelpOptions = true)
final class KeysChainCommand implements Callable<Integer> {
  @Mixin private ReadOptions read = new ReadOptions();
  @Mixin private Output output = new Output();

  @Parameters(paramLabel = "LEDGER", description = "Ledger id")
  private String ledgerId = "";

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "Write the key chain to this file, in place of what it held")
  private @Nullable Path out;

  @Override
  public Integer call() throws Exception {
    try (TallyClient client = read.connect()) {
      LedgerHandle ledger = read.open(client, ledgerId, List.of());
      show(ledger, ledger.followKeys());
    }
    return ExitCode.OK;
  }

  private void show(LedgerHandle ledger, ServiceTrust trust) throws IOException {
    StringBuilder text = new StringBuilder();
    List<Map<String, Object>> rows = new ArrayList<>();
    String origin = trust.genesis().authority().origin(trust.strand());
    for (ServiceKeys.Term term : trust.keys().terms()) {
      String verifierKey = new NoteKey(origin, term.noteKey()).vkey();
      text.append(
          String.format(
              Locale.ROOT,
              "sizes above %s%n  note key     %s%n  as a vkey    %s%n  receipt key  %s%n",
              term.above(),
              term.noteKey().kid(),
              Printable.of(verifierKey),
              term.receiptKey().kid()));
      rows.add(
          Output.object(
              "above",
              term.above().value(),
              "noteKid",
              term.noteKey().kid().hex(),
              "verifierKey",
              verifierKey,
              "receiptKid",
              term.receiptKey().kid().hex()));
    }
    if (out != null) {
      LocalPaths.checkNoFolder(out);
      LocalPaths.writeNew(out, trust.chain().encode().toArray());
    }
    HeadText.print(
        output,
        ledger,
        text + String.format(Locale.ROOT, "%d journals show it.", trust.chain().entries().size()),
        Output.object("terms", rows, "journals", trust.chain().entries().size()));
  }
}
