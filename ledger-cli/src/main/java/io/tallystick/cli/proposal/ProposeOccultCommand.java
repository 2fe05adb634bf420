package io.tallystick.cli.proposal;

import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.terminal.Count;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerRemovals;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.journal.JournalOutcome;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestHeader;
import io.tallystick.lineage.LineageEntry;
import io.tallystick.model.Jsn;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Proposes to erase bodies, after it has shown which.
@Command(
    name = "occult",
    description = {
      "Propose to erase the bodies of journals for good; an owner and a regulator sign.",
      "The journals named are read and verified, and what will go is shown."
    },
    mixinStandardHelpOptions = true)
final class ProposeOccultCommand implements Callable<Integer> {
  @Mixin private ReadOptions read = new ReadOptions();
  @Mixin private ProposalOptions proposal = new ProposalOptions();

  @ArgGroup(multiplicity = "1")
  private Named named = new Named();

  @Option(
      names = "--basis",
      defaultValue = "",
      paramLabel = "TEXT",
      description = "On what ground, at most 128 bytes; it stays readable for ever")
  private String basis = "";

  /// Journals one by one, or those of a clue.
  static final class Named {
    @Option(
        names = "--jsn",
        required = true,
        split = ",",
        paramLabel = "JSN",
        description = "Journals to erase, at most 100")
    private List<Long> jsns = new ArrayList<>();

    @ArgGroup(exclusive = false, multiplicity = "1")
    private @Nullable OfClue clue;
  }

  /// All journals of a clue from one to another.
  static final class OfClue {
    @Option(
        names = "--clue",
        required = true,
        paramLabel = "CLUE",
        description = "Erase the journals that name this clue")
    private String clue = "";

    @Option(
        names = "--from",
        required = true,
        paramLabel = "JSN",
        description = "The first of them, or below it")
    private long from;

    @Option(
        names = "--to",
        required = true,
        paramLabel = "JSN",
        description = "The last of them, or above it; below the newest block")
    private long to;
  }

  /// A body that will go.
  private record Going(long jsn, long timeMs, long bytes) {
    static Going of(Jsn jsn, long timeMs, RequestHeader header) {
      return new Going(jsn.value(), timeMs, header.bodySizeBytes());
    }

    String line() {
      return String.format(
          Locale.ROOT, "erases   %8d  %s  %,d B", jsn, Instant.ofEpochMilli(timeMs), bytes);
    }

    Map<String, Object> row() {
      return Output.object("jsn", jsn, "timeMs", timeMs, "bodyBytes", bytes);
    }
  }

  @Override
  public Integer call() throws Exception {
    List<Going> going = new ArrayList<>();
    ErasureTarget target;
    try (TallyClient client = read.connect()) {
      LedgerHandle ledger = ReadOptions.open(client, proposal.ledger());
      target = named.clue == null ? journals(ledger, going) : ofClue(ledger, named.clue, going);
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
    Extension occult;
    try {
      occult = new Extension.Occult(target, basis);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--basis: " + e.getMessage());
    }
    List<String> lines = new ArrayList<>(going.stream().map(Going::line).toList());
    lines.add("in all   the bodies of " + Count.of(going.size(), "journal"));
    proposal.write(
        Kind.OCCULT, occult, lines, Map.of("erases", going.stream().map(Going::row).toList()));
    return ExitCode.OK;
  }

  private ErasureTarget journals(LedgerHandle ledger, List<Going> going)
      throws TallyException, UsageException {
    if (named.jsns.size() > ErasureTarget.JOURNALS_MAX
        || named.jsns.stream().anyMatch(j -> j < 0)) {
      throw new UsageException("--jsn names 1 to 100 journals, from 0");
    }
    List<LedgerJournal> seen = new ArrayList<>();
    for (JournalOutcome outcome :
        ledger.get(named.jsns.stream().distinct().sorted().map(Jsn::new).toList())) {
      seen.add(outcome.orThrow());
    }
    ErasureTarget target = LedgerRemovals.naming(seen);
    for (LedgerJournal journal : seen) {
      going.add(Going.of(journal.jsn(), journal.timeMs(), journal.header().orElseThrow()));
    }
    return target;
  }

  private static ErasureTarget ofClue(LedgerHandle ledger, OfClue range, List<Going> going)
      throws TallyException, UsageException {
    if (range.from < 0 || range.to < range.from) {
      throw new UsageException("--from is 0 or more, and --to not below it");
    }
    Jsn first = new Jsn(range.from);
    Jsn last = new Jsn(range.to);
    for (LineageEntry entry : ledger.removals().journals(range.clue, first, last)) {
      going.add(Going.of(entry.leaf().jsn(), entry.leaf().timeMs(), entry.header()));
    }
    if (going.isEmpty()) {
      throw new UsageException(
          String.format(
              Locale.ROOT, "no journal from %s to %s names clue %s", first, last, range.clue));
    }
    return ledger.removals().naming(range.clue, first, last);
  }
}
