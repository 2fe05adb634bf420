package io.tallystick.cli.journal;

import io.tallystick.cli.option.FilterOptions;
import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.Progress;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.HeadText;
import io.tallystick.cli.text.JournalText;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.journal.FoundJournals;
import io.tallystick.client.journal.JournalPage;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.JournalFilter;
import io.tallystick.model.Jsn;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Reads a run of journals and verifies them together, or those that fit conditions.
@Command(
    name = "list",
    description = {
      "Read a run of journals and verify that they are in the log.",
      "With conditions, read the journals that fit all of them, with their signatures. The service "
          + "looks for them: nothing proves that it leaves none out."
    },
    mixinStandardHelpOptions = true)
public final class ListCommand implements Callable<Integer> {
  @Mixin private ReadOptions read = new ReadOptions();
  @Mixin private Output output = new Output();
  @Mixin private FilterOptions conditions = new FilterOptions();

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
    JournalFilter filter = conditions.filter();
    try (TallyClient client = read.connect()) {
      LedgerHandle ledger = read.open(client, ledgerId, List.of());
      if (!filter.isAll()) {
        return found(ledger, scanned(ledger, filter));
      }
      JournalPage page = ledger.list(new Jsn(from), limit);
      return print(ledger, page.journals(), page.next(), Optional.empty());
    }
  }

  /// The journals of as many calls as it takes to find enough, or to come to the end.
  private FoundJournals scanned(LedgerHandle ledger, JournalFilter filter) throws TallyException {
    List<LedgerJournal> all = new ArrayList<>();
    Progress progress = output.progress("leaves");
    try {
      FoundJournals found = ledger.scan(filter, new Jsn(from), limit);
      all.addAll(found.journals());
      while (all.size() < limit && found.next().isPresent()) {
        progress.update(found.scannedTo().value(), found.size().value());
        found = ledger.scan(filter, found.next().get(), limit - all.size());
        all.addAll(found.journals());
      }
      return new FoundJournals(all, found.size(), found.scannedTo(), found.next());
    } finally {
      progress.end();
    }
  }

  private int found(LedgerHandle ledger, FoundJournals found) throws TallyException {
    return print(ledger, found.journals(), found.next(), Optional.of(found.scannedTo()));
  }

  /// @param scannedTo of a scan
  private int print(
      LedgerHandle ledger,
      List<LedgerJournal> journals,
      Optional<Jsn> next,
      Optional<Jsn> scannedTo)
      throws TallyException {
    List<String> lines = new ArrayList<>();
    List<Map<String, Object>> rows = new ArrayList<>();
    for (LedgerJournal journal : journals) {
      lines.add(JournalText.line(journal, JournalText.erased(ledger, journal)));
      rows.add(JournalText.row(journal));
    }
    scannedTo.ifPresent(end ->
        lines.add(
            String.format(
                Locale.ROOT,
                "Each is verified. The service looked from %d to before %s, by its word; nothing "
                    + "proves that it left none out.",
                from,
                end)));
    next.ifPresent(jsn -> lines.add("more: --from " + jsn));
    long damaged =
        journals.stream().filter(journal -> journal.bodyState() == BodyState.DAMAGED).count();
    JournalText.damage(damaged, "journal").ifPresent(lines::add);
    Map<String, Object> object = Output.object("journals", rows);
    scannedTo.ifPresent(end -> {
      object.put("scannedTo", end.value());
      object.put("provenComplete", false);
    });
    next.ifPresent(jsn -> object.put("next", jsn.value()));
    HeadText.print(output, ledger, String.join(System.lineSeparator(), lines), object);
    return JournalText.status(damaged);
  }
}
