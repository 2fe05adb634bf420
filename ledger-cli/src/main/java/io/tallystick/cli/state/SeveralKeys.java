package io.tallystick.cli.state;

import io.tallystick.cli.terminal.Count;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.text.ErasureText;
import io.tallystick.cli.text.HeadText;
import io.tallystick.cli.text.JournalText;
import io.tallystick.cli.text.StateText;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerState;
import io.tallystick.client.state.AtTime;
import io.tallystick.client.state.HeldKey;
import io.tallystick.client.state.KeysPage;
import io.tallystick.client.state.StateAtTime;
import io.tallystick.client.state.StateReadings;
import io.tallystick.journal.BodyState;
import io.tallystick.model.Bytes;
import io.tallystick.model.Printable;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Several keys, read under one head.
record SeveralKeys(LedgerHandle ledger, Output output) {
  /// @param time instead of a height; the first key is asked for alone, for the block of that time
  /// @param save for the first page, which is of all keys unless they are many or their values
  ///   large
  /// @return the command's exit status
  int read(List<Bytes> keys, @Nullable Long height, @Nullable Instant time, @Nullable Path save)
      throws Exception {
    LedgerState state = ledger.state();
    Optional<StateAtTime> then = Optional.empty();
    StateReadings readings;
    if (time != null) {
      StateAtTime first = state.get(keys.getFirst(), time);
      then = Optional.of(first);
      readings = state.getAll(keys, first.reading().height());
    } else {
      readings = height == null ? state.getAll(keys) : state.getAll(keys, height);
    }
    List<KeysPage> pages = readings.pages();
    if (save != null) {
      LocalPaths.writeNew(save, pages.getFirst().file().toArray());
    }
    print(
        readings,
        then.map(StateAtTime::at),
        save == null ? List.of() : pages.subList(1, pages.size()));
    return JournalText.status(damaged(readings));
  }

  private static long damaged(StateReadings readings) {
    return readings.keys().stream().filter(each -> each.valueState() == BodyState.DAMAGED).count();
  }

  /// @param unsaved pages that the file was to hold and does not
  private void print(StateReadings readings, Optional<AtTime> at, List<KeysPage> unsaved)
      throws Exception {
    List<String> lines = new ArrayList<>();
    List<Map<String, Object>> rows = new ArrayList<>();
    for (HeldKey each : readings.keys()) {
      Optional<Bytes> value = StateText.value(each);
      lines.add(
          String.format(
              Locale.ROOT,
              "%s: %s%s",
              Printable.name(each.key()),
              StateText.holds(each.answer(), each.valueState(), value, each.erasure()),
              StateText.writer(each.answer())));
      Map<String, Object> row = StateText.row(each.answer(), each.valueState(), value);
      each.erasure().ifPresent(erased -> row.put("erasure", ErasureText.row(erased)));
      rows.add(row);
    }
    JournalText.damage(damaged(readings), "value").ifPresent(lines::add);
    lines.add(
        String.format(
            Locale.ROOT,
            "Verified: this is what %s as of block %d, the log's first %s leaves.%s",
            rows.size() == 1 ? "it holds" : "the " + Count.of(rows.size(), "key") + " hold",
            readings.height(),
            readings.head().size(),
            at.map(StateText::sentence).orElse("")));
    Map<String, Object> object =
        Output.object(
            "keys", rows, "height", readings.height(), "headSize", readings.head().size().value());
    at.ifPresent(block -> object.putAll(StateText.row(block)));
    List<String> left =
        unsaved.stream()
            .flatMap(page -> page.keys().stream())
            .map(each -> each.key().hex())
            .toList();
    if (!left.isEmpty()) {
      lines.add(
          String.format(
              Locale.ROOT,
              "The file holds the first %s; the others: --as-of %d --hex %s",
              Count.of(rows.size() - left.size(), "key"),
              readings.height(),
              left.stream().collect(Collectors.joining(" "))));
      object.put("unsavedHex", left);
    }
    HeadText.print(output, ledger, String.join(System.lineSeparator(), lines), object);
  }
}
