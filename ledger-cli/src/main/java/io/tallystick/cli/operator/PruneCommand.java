package io.tallystick.cli.operator;

import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.Count;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.model.LedgerId;
import io.tallystick.node.KeptState;
import io.tallystick.node.StatePruning;
import io.tallystick.proxy.operate.Operator;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Shows which versions of states a running service keeps, drops older ones, and limits them.
@Command(
    name = "prune",
    description = {
      "Show which versions of states a running service has saved; drop older ones of one, or limit "
          + "them.",
      "Without LEDGER it shows those of all states that were used since the service started. What "
          + "is dropped is gone for good; journals, heads and the newest state stay."
    },
    mixinStandardHelpOptions = true)
public final class PruneCommand implements Callable<Integer> {
  @Mixin private Output output = new Output();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "${env:TALLY_DATA:-./data}",
      description =
          "The data directory of the running service (environment: TALLY_DATA). Default: "
              + "${DEFAULT-VALUE}")
  private Path data = Path.of("");

  @ArgGroup(exclusive = false)
  private @Nullable What what;

  /// The ledger whose state is pruned, and which of its versions are dropped.
  static final class What {
    @Parameters(paramLabel = "LEDGER", description = "The id of the ledger")
    private String ledger = "";

    @Option(
        names = "--below",
        paramLabel = "HEIGHT",
        description =
            "Drop the versions that the states from this block on are not made from; the newest "
                + "block at most")
    private @Nullable Long height;

    @Option(
        names = "--keep",
        paramLabel = "COUNT",
        description =
            "Keep at most so many older versions from now on: from 0 to what the service keeps of "
                + "any state (tallystick.state.versions)")
    private @Nullable Integer versions;

    @Option(
        names = "--keep-megabytes",
        paramLabel = "MIB",
        description =
            "Keep older versions in at most so many MiB from now on. A limit of the two that is "
                + "not named is the service's again")
    private @Nullable Integer megabytes;

    @Option(
        names = "--keep-default",
        description = "Keep as many as the service does of any state again")
    private boolean keepDefault;

    private StatePruning pruning() throws UsageException {
      boolean limits = versions != null || megabytes != null;
      int ways = (height == null ? 0 : 1) + (limits ? 1 : 0) + (keepDefault ? 1 : 0);
      if (ways != 1) {
        throw new UsageException(
            "name --below, --keep-default, or one or both of --keep and --keep-megabytes");
      }
      if (height != null) {
        return new StatePruning.Below(notNegative("--below", height));
      }
      return new StatePruning.Beyond(
          versions == null
              ? OptionalInt.empty()
              : OptionalInt.of((int) notNegative("--keep", versions)),
          megabytes == null
              ? OptionalLong.empty()
              : OptionalLong.of(notNegative("--keep-megabytes", megabytes) << 20));
    }

    private static long notNegative(String option, long value) throws UsageException {
      if (value < 0) {
        throw new UsageException(option + " is 0 or more");
      }
      return value;
    }
  }

  @Override
  public Integer call() throws Exception {
    if (what == null) {
      show();
    } else {
      prune(ServiceOptions.ledgerId(what.ledger), what.pruning());
    }
    return ExitCode.OK;
  }

  private void show() throws Exception {
    List<KeptState> kept = ask(Operator::keptStates);
    String text =
        kept.isEmpty()
            ? "No state was used since the service started."
            : kept.stream()
                .map(state -> state.ledger() + ": " + text(state))
                .collect(Collectors.joining(System.lineSeparator()));
    output.print(text, Output.object("states", kept.stream().map(PruneCommand::row).toList()));
  }

  private void prune(LedgerId ledger, StatePruning pruning) throws Exception {
    KeptState kept = ask(operator -> operator.prune(ledger, pruning));
    output.print("Kept: " + text(kept), row(kept));
  }

  private static String text(KeptState kept) {
    return String.format(
        Locale.ROOT,
        "blocks %,d to %,d; %s of %,d B beside the newest, of at most %,d in %s",
        kept.oldestHeight(),
        kept.newestHeight(),
        Count.of(kept.olderVersions(), "version"),
        kept.olderBytes(),
        kept.versionsMax(),
        kept.bytesMax() == KeptState.AS_NEWEST
            ? "as much room as the newest takes"
            : String.format(Locale.ROOT, "%,d B", kept.bytesMax()));
  }

  private static Map<String, Object> row(KeptState kept) {
    Map<String, Object> row =
        Output.object(
            "ledger",
            kept.ledger().toString(),
            "oldestHeight",
            kept.oldestHeight(),
            "newestHeight",
            kept.newestHeight(),
            "olderVersions",
            kept.olderVersions(),
            "olderBytes",
            kept.olderBytes(),
            "versionsMax",
            kept.versionsMax());
    if (kept.bytesMax() != KeptState.AS_NEWEST) {
      row.put("bytesMax", kept.bytesMax());
    }
    return row;
  }

  private <T> T ask(AskedOperator.Request<T> request) throws Exception {
    return AskedOperator.ask(data, request);
  }
}
