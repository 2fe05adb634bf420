package io.tallystick.cli.state;

import io.tallystick.cli.option.KeyBytes;
import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.option.TimeText;
import io.tallystick.cli.terminal.Count;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.ErasureText;
import io.tallystick.cli.text.HeadText;
import io.tallystick.cli.text.JournalText;
import io.tallystick.cli.text.SavedStateText;
import io.tallystick.cli.text.StateText;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.state.StateItem;
import io.tallystick.client.state.StateRangePage;
import io.tallystick.client.state.StateSpan;
import io.tallystick.client.state.StateWalk;
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
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Lists the keys of a range.
@Command(
    name = "range",
    description = "List the keys of a range that have a value, proven to be all of them.",
    mixinStandardHelpOptions = true)
final class StateRangeCommand implements Callable<Integer> {
  @Mixin private ReadOptions read = new ReadOptions();
  @Mixin private Output output = new Output();

  @Parameters(index = "0", paramLabel = "LEDGER", description = "Ledger id")
  private String ledgerId = "";

  @Option(
      names = "--from",
      paramLabel = "KEY",
      description = "The first key. Default: the first of all")
  private @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "KEY",
      description = "The key to end before. Default: none, all keys are listed")
  private @Nullable String to;

  @Option(
      names = "--prefix",
      paramLabel = "KEY",
      description = "List the keys that begin with this, instead of --from and --to")
  private @Nullable String prefix;

  @Option(names = "--hex", description = "The keys given are in hex digits, not text")
  private boolean hex;

  @Option(
      names = "--as-of",
      paramLabel = "HEIGHT",
      description = "List the keys as they were at the end of this block")
  private @Nullable Long asOf;

  @Option(
      names = "--at-time",
      paramLabel = "TIME",
      description =
          "List the keys as they were at this time, as 2027-06-30T00:00:00Z or in milliseconds "
              + "since the Unix epoch")
  private @Nullable String atTime;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "1000",
      description = "The most keys to list. Default: ${DEFAULT-VALUE}")
  private int limit;

  @Option(
      names = "--save",
      paramLabel = "FILE",
      description =
          "List one page, and save its proof and values in FILE; anybody with the service's keys "
              + "can verify it")
  private @Nullable Path save;

  @Mixin private RebuiltOption rebuilt = new RebuiltOption();

  /// The items that are listed.
  ///
  /// @param more whether there are more keys
  /// @param next where a further page begins
  private record Listed(List<StateItem> items, boolean more, Optional<Bytes> next) {
    long damaged() {
      return items.stream().filter(item -> item.valueState() == BodyState.DAMAGED).count();
    }
  }

  @Override
  public Integer call() throws Exception {
    if (limit < 1) {
      throw new UsageException("--limit is 1 or more");
    }
    StateSpan span = span();
    Instant time = TimeText.atTime(atTime, asOf);
    LocalPaths.checkNew(save);
    if (rebuilt.isGiven()) {
      try (RebuiltReads reads = rebuilt.open(read, output, ledgerId, asOf, time)) {
        return reads.range(span, limit, save);
      }
    }
    try (TallyClient client = read.connect()) {
      LedgerHandle ledger = read.open(client, ledgerId, List.of());
      StateWalk walk = time == null ? ledger.state().range(span) : ledger.state().range(span, time);
      Listed listed = save == null ? listed(walk) : saved(walk, span, save);
      print(ledger, span, walk, listed);
      return JournalText.status(listed.damaged());
    }
  }

  private StateSpan span() throws UsageException {
    if (prefix != null && (from != null || to != null)) {
      throw new UsageException("--prefix stands instead of --from and --to");
    }
    Long height = StateText.height(asOf);
    try {
      StateSpan span =
          prefix != null
              ? StateSpan.prefix(KeyBytes.of(prefix, hex))
              : new StateSpan(
                  from == null ? Bytes.EMPTY : KeyBytes.of(from, hex),
                  to == null ? Optional.empty() : Optional.of(KeyBytes.of(to, hex)),
                  OptionalLong.empty(),
                  StateSpan.PAGE_MAX);
      StateSpan paged = span.withPagesOf(Math.min(limit, StateSpan.PAGE_MAX));
      return height == null ? paged : paged.asOf(height);
    } catch (IllegalArgumentException e) {
      // An empty range, or an end too long.
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private Listed listed(StateWalk walk) throws Exception {
    List<StateItem> items = new ArrayList<>();
    for (List<StateItem> page = walk.next(); !page.isEmpty(); page = walk.next()) {
      for (StateItem item : page) {
        if (items.size() == limit) {
          return new Listed(items, true, Optional.empty());
        }
        items.add(item);
      }
    }
    return new Listed(items, false, Optional.empty());
  }

  /// One page, as its proof has it.
  private static Listed saved(StateWalk walk, StateSpan span, Path file) throws Exception {
    StateRangePage page = walk.nextPage().orElseThrow();
    LocalPaths.writeNew(file, page.file().encode().toArray());
    boolean more = !page.to().equals(span.to());
    return new Listed(page.items(), more, more ? page.to() : Optional.empty());
  }

  private void print(LedgerHandle ledger, StateSpan span, StateWalk walk, Listed listed)
      throws Exception {
    List<String> lines = new ArrayList<>();
    List<Map<String, Object>> rows = new ArrayList<>();
    for (StateItem item : listed.items) {
      Optional<Bytes> value = StateText.value(item);
      lines.add(
          String.format(
              Locale.ROOT,
              "%8s  %s: %s",
              item.entry().jsn(),
              Printable.name(item.key()),
              StateText.value(item.entry(), item.valueState(), value, item.erasure())));
      Map<String, Object> row = StateText.keyRow(item.key());
      row.putAll(StateText.row(item.entry(), item.valueState(), value));
      item.erasure().ifPresent(erased -> row.put("erasure", ErasureText.row(erased)));
      rows.add(row);
    }
    JournalText.damage(listed.damaged(), "value").ifPresent(lines::add);
    lines.add(verdict(span, walk, listed) + walk.atTime().map(StateText::sentence).orElse(""));
    Map<String, Object> object =
        Output.object(
            "keys",
            rows,
            "complete",
            !listed.more,
            "height",
            walk.block().height(),
            "headSize",
            walk.head().size().value());
    walk.atTime().ifPresent(at -> object.putAll(StateText.row(at)));
    listed.next.ifPresent(next -> {
      lines.add("The file holds this page; the next: " + options(next, span, walk));
      object.put("nextHex", next.hex());
    });
    HeadText.print(output, ledger, String.join(System.lineSeparator(), lines), object);
  }

  /// The options that list what is behind a page, as of the same block.
  private static String options(Bytes next, StateSpan span, StateWalk walk) {
    return String.format(
        Locale.ROOT,
        "--as-of %d --hex --from %s%s",
        walk.block().height(),
        next.hex(),
        span.to().map(end -> " --to " + end.hex()).orElse(""));
  }

  private static String verdict(StateSpan span, StateWalk walk, Listed listed) {
    String range = SavedStateText.span(span.from(), span.to());
    String asOf = " as of block " + walk.block().height();
    int count = listed.items.size();
    if (listed.more) {
      return String.format(
          Locale.ROOT, "Verified: the first %s%s%s; there are more.", keys(count), range, asOf);
    }
    return count == 0
        ? String.format(Locale.ROOT, "Verified: no key%s has a value%s.", range, asOf)
        : String.format(
            Locale.ROOT, "Verified: %s%s, and no other has a value%s.", keys(count), range, asOf);
  }

  private static String keys(int count) {
    return Count.of(count, "key");
  }
}
