package io.tallystick.cli.state;

import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.terminal.Count;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.ErasureText;
import io.tallystick.cli.text.HeadText;
import io.tallystick.cli.text.JournalText;
import io.tallystick.cli.text.StateText;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.state.StateReading;
import io.tallystick.client.state.StateVersions;
import io.tallystick.journal.BodyState;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.model.Bytes;
import io.tallystick.model.Printable;
import io.tallystick.model.RejectionCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Shows the versions of one key.
@Command(
    name = "history",
    description = "Show the versions of a key, newest first, proven that none is left out.",
    mixinStandardHelpOptions = true)
final class StateHistoryCommand implements Callable<Integer> {
  @Mixin private ReadOptions read = new ReadOptions();
  @Mixin private Output output = new Output();
  @Mixin private StateKeyOptions of = new StateKeyOptions();

  @Option(
      names = "--as-of",
      paramLabel = "HEIGHT",
      description = "Show the versions that the key had up to the end of this block")
  private @Nullable Long asOf;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "The most versions to show. Default: ${DEFAULT-VALUE}")
  private int limit;

  /// Why no older version is shown.
  private enum End {
    NEVER_WRITTEN("the key was never written before"),
    NOTHING_HELD("older ones, if any, ended in a deletion that is not kept"),
    PRUNED("the service keeps no older ones"),
    LIMIT("there are older ones");

    private final String words;

    End(String words) {
      this.words = words;
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
      StateVersions history =
          height == null ? ledger.state().history(key) : ledger.state().history(key, height);
      List<StateReading> versions = new ArrayList<>();
      End end = readAll(history, versions);
      print(ledger, key, versions, end);
      return JournalText.status(damaged(versions));
    }
  }

  private static long damaged(List<StateReading> versions) {
    return versions.stream().filter(each -> each.valueState() == BodyState.DAMAGED).count();
  }

  /// @param versions receives those that show a write
  private End readAll(StateVersions history, List<StateReading> versions) throws TallyException {
    while (true) {
      List<StateReading> page;
      try {
        page = history.next();
      } catch (RequestRefusedException e) {
        if (versions.isEmpty() || !e.code().equals(RejectionCode.PRUNED.wire())) {
          throw e;
        }
        return End.PRUNED;
      }
      for (StateReading version : page) {
        if (version.answer() instanceof StateAnswer.Absent absent) {
          return absent.neverWritten() ? End.NEVER_WRITTEN : End.NOTHING_HELD;
        }
        if (versions.size() == limit) {
          return End.LIMIT;
        }
        versions.add(version);
      }
    }
  }

  private void print(LedgerHandle ledger, Bytes key, List<StateReading> versions, End end)
      throws Exception {
    List<String> lines = new ArrayList<>();
    List<Map<String, Object>> rows = new ArrayList<>();
    for (StateReading version : versions) {
      Optional<Bytes> value = StateText.value(version);
      String holds =
          StateText.holds(version.answer(), version.valueState(), value, version.erasure());
      lines.add(String.format(Locale.ROOT, "%8s  %s", version.entry().orElseThrow().jsn(), holds));
      Map<String, Object> row = StateText.row(version.answer(), version.valueState(), value);
      row.put("height", version.height());
      version.erasure().ifPresent(erased -> row.put("erasure", ErasureText.row(erased)));
      rows.add(row);
    }
    JournalText.damage(damaged(versions), "value").ifPresent(lines::add);
    lines.add(
        String.format(
            Locale.ROOT,
            "Verified: %s of %s, none left out; %s.",
            Count.of(versions.size(), "version"),
            Printable.name(key),
            end.words));
    Map<String, Object> answer = StateText.keyRow(key);
    answer.put("versions", rows);
    answer.put("complete", end == End.NEVER_WRITTEN);
    HeadText.print(output, ledger, String.join(System.lineSeparator(), lines), answer);
  }
}
