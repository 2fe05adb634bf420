package io.tallystick.cli.state;

import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.terminal.Count;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.Progress;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.ErasureText;
import io.tallystick.cli.text.HeadText;
import io.tallystick.cli.text.JournalText;
import io.tallystick.cli.text.StateText;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.client.state.StateVersion;
import io.tallystick.client.state.StateVersions;
import io.tallystick.journal.BodyState;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Shows the writes of one key.
@Command(
    name = "history",
    description = {
      "Show the writes of a key, newest first, each proven to stand in the log.",
      "The last line says whether it is proven, too, that there are no others."
    },
    mixinStandardHelpOptions = true)
final class StateHistoryCommand implements Callable<Integer> {
  private static final int PAGE_VERSIONS = 100;

  @Mixin private ReadOptions read = new ReadOptions();
  @Mixin private Output output = new Output();
  @Mixin private StateKeyOptions of = new StateKeyOptions();

  @Option(
      names = "--as-of",
      paramLabel = "HEIGHT",
      description = "Show the writes up to the end of this block")
  private @Nullable Long asOf;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description =
          "The most writes to show; those of one block are shown together. Default: "
              + "${DEFAULT-VALUE}")
  private int limit;

  @Option(names = "--no-values", description = "Do not read the values")
  private boolean noValues;

  /// @param cut whether there may be older ones, which are not shown
  private record Shown(StateVersions history, List<StateVersion> versions, boolean cut) {
    StateVersions.Completeness completeness() {
      return cut ? StateVersions.Completeness.CUT_OFF : history.completeness();
    }

    VerifiedBlock block() {
      return history.block().orElseThrow();
    }

    long damaged() {
      return versions.stream().filter(each -> each.valueState() == BodyState.DAMAGED).count();
    }
  }

  @Override
  public Integer call() throws Exception {
    Long height = StateText.height(asOf);
    Bytes key = of.key();
    if (limit < 1) {
      throw new UsageException("--limit is 1 or more");
    }
    try (TallyClient client = read.connect()) {
      LedgerHandle ledger = read.open(client, of.ledgerId(), List.of());
      StateVersions all =
          height == null ? ledger.state().history(key) : ledger.state().history(key, height);
      StateVersions history = all.withPagesOf(Math.min(limit, PAGE_VERSIONS));
      Shown shown = shown(noValues ? history.withoutValues() : history);
      print(ledger, key, shown);
      return JournalText.status(shown.damaged());
    }
  }

  /// The writes of as many calls as it takes to find enough, or to come to the begin of the log.
  private Shown shown(StateVersions history) throws TallyException {
    List<StateVersion> versions = new ArrayList<>();
    Progress progress = output.progress("leaves");
    try {
      while (history.hasNext()) {
        for (StateVersion version : history.next()) {
          if (versions.size() >= limit && version.height() != versions.getLast().height()) {
            return new Shown(history, versions, true);
          }
          versions.add(version);
        }
        if (versions.size() >= limit && history.hasNext() && isWhole(versions, history)) {
          return new Shown(history, versions, true);
        }
        long size = history.block().orElseThrow().head().size().value();
        progress.update(size - history.scannedTo().orElseThrow().value(), size);
      }
      return new Shown(history, versions, false);
    } finally {
      progress.end();
    }
  }

  /// Whether the block of the oldest write was looked at whole.
  private static boolean isWhole(List<StateVersion> versions, StateVersions history) {
    Jsn first = versions.getLast().write().seal().firstJsn();
    return history.scannedTo().orElseThrow().compareTo(first) <= 0;
  }

  private void print(LedgerHandle ledger, Bytes key, Shown shown) throws Exception {
    List<String> lines = new ArrayList<>();
    List<Map<String, Object>> rows = new ArrayList<>();
    for (StateVersion version : shown.versions) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%8s  %s  %s",
              version.jsn(),
              version.time(),
              StateText.written(version)));
      Map<String, Object> row = StateText.row(version);
      version.erasure().ifPresent(erased -> row.put("erasure", ErasureText.row(erased)));
      rows.add(row);
    }
    JournalText.damage(shown.damaged(), "value").ifPresent(lines::add);
    lines.add(verdict(key, shown));
    Map<String, Object> answer = StateText.keyRow(key);
    answer.put("versions", rows);
    answer.put("height", shown.block().height());
    answer.put("headSize", shown.block().head().size().value());
    StateVersions.Completeness completeness = shown.completeness();
    answer.put("complete", completeness == StateVersions.Completeness.PROVEN);
    answer.put(
        "completeness",
        switch (completeness) {
          case PROVEN -> "proven";
          case SERVICE_WORD -> "serviceWord";
          case CUT_OFF -> "cutOff";
        });
    shown.history.purge().ifPresent(purge -> answer.put("purgeJsn", purge.value()));
    HeadText.print(output, ledger, String.join(System.lineSeparator(), lines), answer);
  }

  private static String verdict(Bytes key, Shown shown) {
    int count = shown.versions.size();
    String written =
        String.format(
            Locale.ROOT,
            "Verified: %s of %s up to block %d",
            Count.of(count, "write"),
            Printable.name(key),
            shown.block().height());
    return switch (shown.completeness()) {
      case PROVEN ->
          count == 0
              ? written + "; it is proven that the key was never written."
              : written + "; it is proven that no other stood at the end of any block.";
      case SERVICE_WORD ->
          String.format(
              Locale.ROOT,
              "%s. That there are no others is the service's word: %s.",
              written,
              gap(shown));
      case CUT_OFF ->
          String.format(
              Locale.ROOT,
              "%s; there may be older ones: --as-of %d.",
              written,
              shown.versions.getLast().height() - 1);
    };
  }

  /// What is not shown that a proof would need.
  private static String gap(Shown shown) {
    if (shown.history.purge().isPresent()) {
      return String.format(
          Locale.ROOT,
          "it looked back to journal %s; purge %s removed those before",
          shown.history.scannedTo().orElseThrow(),
          shown.history.purge().get());
    }
    StateVersion newer = null;
    for (StateVersion version : shown.versions) {
      if (!version.stood() && (newer == null || newer.height() != version.height())) {
        return newer == null
            ? "it does not show that the newest still stands"
            : String.format(
                Locale.ROOT,
                "it does not show that journal %s was the last to write the key before journal %s",
                version.jsn(),
                newer.jsn());
      }
      newer = version;
    }
    boolean absent =
        shown
            .history
            .before()
            .filter(state -> state.answer() instanceof StateAnswer.Absent)
            .isPresent();
    return absent
        ? "before the oldest the state held nothing, which a deletion leaves, too"
        : "it does not show the state before the oldest";
  }
}
