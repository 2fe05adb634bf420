package io.tallystick.cli.journal;

import io.tallystick.audit.PurgedClue;
import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.Count;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.HeadText;
import io.tallystick.cli.text.JournalText;
import io.tallystick.cli.text.SavedLineageText;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.journal.JournalOutcome;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.client.lineage.ClueLineage;
import io.tallystick.journal.BodyState;
import io.tallystick.lineage.LineageEntry;
import io.tallystick.model.Jsn;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.TreeSize;
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

/// Shows all journals that name a clue, proven to be these and no others.
@Command(
    name = "lineage",
    description = {
      "Show all journals that name a clue, proven to be complete.",
      "The proof is under the newest head of the ledger.",
      "Of a purged ledger it begins with the first journal kept, and says how many went before."
    },
    mixinStandardHelpOptions = true)
public final class LineageCommand implements Callable<Integer> {
  @Mixin private ReadOptions read = new ReadOptions();
  @Mixin private Output output = new Output();

  @Parameters(index = "0", paramLabel = "LEDGER", description = "Ledger id")
  private String ledgerId = "";

  @Parameters(index = "1", paramLabel = "CLUE", description = "The clue, as it was given to append")
  private String clue = "";

  @Option(
      names = "--verify",
      description =
          "Read each journal from the log too, and verify its place there, its signatures "
              + "and its body. Without this option only the list is verified, against the newest "
              + "head's clue trie")
  private boolean verify;

  @Option(
      names = "--as-of-block",
      paramLabel = "HEIGHT",
      description = "Show the lineage as it was at the end of this block")
  private @Nullable Long asOfBlock;

  @Option(
      names = "--save",
      paramLabel = "FILE",
      description =
          "The file to save the proof of the whole lineage in, not with --as-of-block; anybody "
              + "with the service's keys can verify it")
  private @Nullable Path save;

  @Override
  public Integer call() throws Exception {
    Long height = asOfBlock;
    if (height != null && height < 0) {
      throw new UsageException("--as-of-block is 0 or more");
    }
    if (height != null && save != null) {
      throw new UsageException("--save keeps the whole lineage: leave --as-of-block out");
    }
    LocalPaths.checkNew(save);
    try (TallyClient client = read.connect()) {
      LedgerHandle ledger = read.open(client, ledgerId, List.of());
      TreeSize size = height == null ? null : ledger.block(height).head().size();
      try {
        ClueLineage lineage = size == null ? ledger.lineage(clue) : ledger.lineageAsOf(clue, size);
        if (save != null) {
          LocalPaths.writeNew(save, ledger.lineageFile(clue).encode().toArray());
        }
        return print(ledger, lineage, verify ? journals(ledger, lineage) : List.of(), null);
      } catch (RequestRefusedException e) {
        if (!e.code().equals(RejectionCode.PURGED.wire())) {
          throw e;
        }
        PurgedClue before =
            KeptLineage.purged(read.service(), ServiceOptions.ledgerId(ledgerId), clue)
                .orElseThrow(() -> e);
        if (size != null && size.value() <= before.firstKept().value()) {
          throw e;
        }
        return printKept(ledger, KeptLineage.read(ledger, clue, before, size));
      }
    }
  }

  private int printKept(LedgerHandle ledger, KeptLineage kept) throws Exception {
    if (save != null) {
      LocalPaths.writeNew(
          save, ledger.lineageFile(clue, kept.before().firstKept()).encode().toArray());
    }
    List<LedgerJournal> journals = verify ? journals(ledger, kept.lineage()) : List.of();
    return print(ledger, kept.lineage(), journals, kept.before());
  }

  private static List<LedgerJournal> journals(LedgerHandle ledger, ClueLineage lineage)
      throws Exception {
    List<LedgerJournal> journals = new ArrayList<>();
    List<Jsn> jsns = lineage.entries().stream().map(entry -> new Jsn(entry.jsn())).toList();
    for (int from = 0; from < jsns.size(); from += LedgerHandle.GET_COUNT_MAX) {
      int to = Math.min(jsns.size(), from + LedgerHandle.GET_COUNT_MAX);
      for (JournalOutcome outcome : ledger.get(jsns.subList(from, to))) {
        LedgerJournal journal = outcome.orThrow();
        LineageEntry entry = lineage.entries().get(journals.size());
        if (!journal.leaf().equals(entry.leaf())) {
          throw new VerificationException(
              new ProofRejectedException(
                  ProofRejectedException.Reason.LEAF_MISMATCH,
                  String.format(
                      Locale.ROOT,
                      "journal %s of the log is not the one that the clue lists",
                      journal.jsn())));
        }
        journals.add(journal);
      }
    }
    return journals;
  }

  /// @param before what a purge removed of the clue; null: nothing
  private int print(
      LedgerHandle ledger,
      ClueLineage lineage,
      List<LedgerJournal> journals,
      @Nullable PurgedClue before)
      throws TallyException {
    List<String> lines = new ArrayList<>();
    List<Map<String, Object>> rows = new ArrayList<>();
    for (int i = 0; i < lineage.entries().size(); i++) {
      LineageEntry entry = lineage.entries().get(i);
      lines.add(verify ? line(ledger, journals.get(i)) : SavedLineageText.line(entry));
      rows.add(verify ? JournalText.row(journals.get(i)) : SavedLineageText.row(entry));
    }
    long damaged = journals.stream().filter(each -> each.bodyState() == BodyState.DAMAGED).count();
    JournalText.damage(damaged, "journal").ifPresent(lines::add);
    lines.add(verdict(lineage, before));
    TreeSize size = lineage.size();
    Map<String, Object> object =
        Output.object(
            "clue",
            clue,
            "journals",
            rows,
            "complete",
            before == null,
            "asOfSize",
            size.value(),
            "headSize",
            lineage.head().size().value());
    if (before != null) {
      lines.addFirst(
          String.format(
              Locale.ROOT,
              "Purge %s removed %s of this clue, below %s.",
              before.purge(),
              Count.of(before.journals(), "journal"),
              before.firstKept()));
      object.put("removed", before.journals());
      object.put("firstKept", before.firstKept().value());
      object.put("purgeJsn", before.purge().value());
    }
    HeadText.print(output, ledger, String.join(System.lineSeparator(), lines), object);
    return JournalText.status(damaged);
  }

  private static String line(LedgerHandle ledger, LedgerJournal journal) throws TallyException {
    return JournalText.line(journal, JournalText.erased(ledger, journal));
  }

  private String verdict(ClueLineage lineage, @Nullable PurgedClue before) {
    String shown = Printable.of(clue);
    String among =
        String.format(
            Locale.ROOT,
            " among the log's first %s leaves%s",
            lineage.size(),
            before == null ? "" : ", from " + before.firstKept() + " on");
    int count = lineage.entries().size();
    return count == 0
        ? String.format(Locale.ROOT, "Verified: no journal%s names \"%s\".", among, shown)
        : String.format(
            Locale.ROOT,
            "Verified: %s \"%s\"%s, and no other does.",
            count == 1
                ? "this journal names"
                : String.format(Locale.ROOT, "these %,d journals name", count),
            shown,
            among);
  }
}
