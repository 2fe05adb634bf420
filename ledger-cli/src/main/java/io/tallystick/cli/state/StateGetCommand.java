package io.tallystick.cli.state;

import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.option.TimeText;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.ErasureText;
import io.tallystick.cli.text.HeadText;
import io.tallystick.cli.text.JournalText;
import io.tallystick.cli.text.StateText;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.state.AtTime;
import io.tallystick.client.state.StateAtTime;
import io.tallystick.client.state.StateReading;
import io.tallystick.journal.BodyState;
import io.tallystick.model.Bytes;
import io.tallystick.model.Printable;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Reads one key, or several with one proof.
@Command(
    name = "get",
    description = {
      "Read the value of a key, or of several keys, or verify that there is none.",
      "The proof is under the newest head of the ledger, or under that of the block of --as-of."
    },
    mixinStandardHelpOptions = true)
final class StateGetCommand implements Callable<Integer> {
  @Mixin private ReadOptions read = new ReadOptions();
  @Mixin private Output output = new Output();
  @Mixin private StateKeysOptions of = new StateKeysOptions();

  @Option(
      names = "--as-of",
      paramLabel = "HEIGHT",
      description = "Read the keys as they were at the end of this block")
  private @Nullable Long asOf;

  @Option(
      names = "--at-time",
      paramLabel = "TIME",
      description =
          "Read the keys as they were at this time, as 2027-06-30T00:00:00Z or in milliseconds since "
              + "the Unix epoch")
  private @Nullable String atTime;

  @Option(
      names = "--raw",
      description = "Write nothing but the value's bytes, once it is verified; of one key")
  private boolean raw;

  @Option(
      names = "--save",
      paramLabel = "FILE",
      description =
          "The file to save proof and values in; anybody with the service's keys can verify it")
  private @Nullable Path save;

  @Mixin private RebuiltOption from = new RebuiltOption();

  @Override
  public Integer call() throws Exception {
    Long height = StateText.height(asOf);
    List<Bytes> keys = of.keys();
    if (raw && keys.size() > 1) {
      throw new UsageException("--raw writes one value: give one KEY");
    }
    if (raw && output.isJson()) {
      throw new UsageException("--raw and --json: give one of them");
    }
    Instant time = TimeText.atTime(atTime, asOf);
    LocalPaths.checkNew(save);
    if (from.isGiven()) {
      try (RebuiltReads reads = from.open(read, output, of.ledgerId(), height, time)) {
        return reads.get(keys, raw, save);
      }
    }
    try (TallyClient client = read.connect()) {
      LedgerHandle ledger = read.open(client, of.ledgerId(), List.of());
      if (keys.size() > 1) {
        return new SeveralKeys(ledger, output).read(keys, height, time, save);
      }
      Bytes key = keys.getFirst();
      Optional<AtTime> at = Optional.empty();
      StateReading reading;
      if (time != null) {
        StateAtTime answer = ledger.state().get(key, time);
        at = Optional.of(answer.at());
        reading = answer.reading();
      } else {
        reading = height == null ? ledger.state().get(key) : ledger.state().get(key, height);
      }
      if (save != null) {
        LocalPaths.writeNew(save, reading.file().encode().toArray());
      }
      if (raw) {
        writeRaw(reading);
      } else {
        print(ledger, reading, at);
      }
      return JournalText.status(damaged(reading));
    }
  }

  private static long damaged(StateReading reading) {
    return reading.valueState() == BodyState.DAMAGED ? 1 : 0;
  }

  private static void writeRaw(StateReading reading) throws Exception {
    Bytes value =
        reading
            .value()
            .orElseThrow(() ->
                new UsageException(
                    String.format(
                        Locale.ROOT,
                        "key %s has no value as of block %d",
                        Printable.name(reading.key()),
                        reading.height())));
    System.out.write(value.toArray());
    System.out.flush();
  }

  private void print(LedgerHandle ledger, StateReading reading, Optional<AtTime> at)
      throws Exception {
    Optional<Bytes> value = StateText.value(reading);
    Map<String, Object> row = StateText.row(reading.answer(), reading.valueState(), value);
    row.put("height", reading.height());
    row.put("headSize", reading.head().size().value());
    String writer = reading.entry().map(entry -> ", by journal " + entry.jsn()).orElse("");
    reading.erasure().ifPresent(erased -> row.put("erasure", ErasureText.row(erased)));
    String more =
        reading
            .erasure()
            .map(ErasureText::lines)
            .or(() -> JournalText.damage(damaged(reading), "value"))
            .map(lines -> System.lineSeparator() + lines)
            .orElse("");
    at.ifPresent(block -> row.putAll(StateText.row(block)));
    HeadText.print(
        output,
        ledger,
        String.format(
            Locale.ROOT,
            "%s: %s%s%nVerified: this is what it holds as of block %d, the log's first %s leaves.%s%s",
            Printable.name(reading.key()),
            StateText.holds(reading.answer(), reading.valueState(), value, reading.erasure()),
            writer,
            reading.height(),
            reading.head().size(),
            at.map(StateText::sentence).orElse(""),
            more),
        row);
  }
}
