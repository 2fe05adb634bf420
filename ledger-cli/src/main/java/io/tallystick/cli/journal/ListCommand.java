package io.tallystick.cli.journal;

import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.HeadText;
import io.tallystick.cli.text.JournalText;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.journal.JournalPage;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.journal.BodyState;
import io.tallystick.model.Jsn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Reads a run of journals and verifies them together.
@Command(
    name = "list",
    description = "Read a run of journals and verify that they are in the log.",
    mixinStandardHelpOptions = true)
public final class ListCommand implements Callable<Integer> {
  @Mixin private ReadOptions read = new ReadOptions();
  @Mixin private Output output = new Output();

  @Parameters(paramLabel = "LEDGER", description = "Ledger id")
  private String ledgerId = "";

  @Option(
      names = "--from",
      defaultValue = "0",
      description = "The first jsn. Default: ${DEFAULT-VALUE}")
  private long from;

  @Option(
      names = "--limit",
      defaultValue = "100",
      description = "How many journals, 1 to 1000. Default: ${DEFAULT-VALUE}")
  private int limit;

  @Override
  public Integer call() throws Exception {
    if (from < 0 || limit < 1 || limit > LedgerHandle.LIST_LIMIT_MAX) {
      throw new UsageException("--from is 0 or more, --limit 1 to " + LedgerHandle.LIST_LIMIT_MAX);
    }
    try (TallyClient client = read.connect()) {
      LedgerHandle ledger = read.open(client, ledgerId, List.of());
      JournalPage page = ledger.list(new Jsn(from), limit);
      List<String> lines = new ArrayList<>();
      List<Map<String, Object>> rows = new ArrayList<>();
      for (LedgerJournal journal : page.journals()) {
        lines.add(JournalText.line(journal, JournalText.erased(ledger, journal)));
        rows.add(JournalText.row(journal));
      }
      page.next().ifPresent(next -> lines.add("more: --from " + next));
      long damaged =
          page.journals().stream()
              .filter(journal -> journal.bodyState() == BodyState.DAMAGED)
              .count();
      JournalText.damage(damaged, "journal").ifPresent(lines::add);
      Map<String, Object> object = Output.object("journals", rows);
      page.next().ifPresent(next -> object.put("next", next.value()));
      HeadText.print(output, ledger, String.join(System.lineSeparator(), lines), object);
      return JournalText.status(damaged);
    }
  }
}
