package io.tallystick.cli.operator;

import io.tallystick.cli.option.CommandHashing;
import io.tallystick.cli.option.GpuOptions;
import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.Count;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.Progress;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Feature;
import io.tallystick.model.LedgerId;
import io.tallystick.model.Printable;
import io.tallystick.model.StrandId;
import io.tallystick.node.NodeFolders;
import io.tallystick.server.host.LocalRepair;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.seal.IndexRebuild;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.file.Path;
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

/// Fills a damaged index again from the journals, or makes a state as of an earlier block.
@Command(
    name = "rebuild",
    description = {
      "Fill a damaged index again from the journals in the log.",
      "The service must not run meanwhile. After each block the root must be the one "
          + "that was sealed. A rebuild that was interrupted starts over.",
      "With --as-of it makes the state of a ledger as of an earlier block, also of one that the "
          + "service answers as pruned, in a folder that `state get --rebuilt` reads; nothing else "
          + "is changed.",
      "Exit status 4 if the journals do not make what was sealed; the first such block is "
          + "named."
    },
    mixinStandardHelpOptions = true)
public final class RebuildCommand implements Callable<Integer> {
  @Mixin private Output output = new Output();

  @Option(
      names = "--index",
      required = true,
      description =
          "The index to fill: ${COMPLETION-CANDIDATES} (clue: clue index and clue trie; state: the "
              + "state's forest)")
  private Index index = Index.clue;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "${env:TALLY_DATA:-./data}",
      description =
          "The data directory of the service (environment: TALLY_DATA). Default: ${DEFAULT-VALUE}")
  private Path data = Path.of("");

  @Option(
      names = "--keys",
      paramLabel = "DIR",
      description = "The folder with the service's keys, if it is started with --keys")
  private @Nullable Path keys;

  @Option(
      names = "--ledger",
      paramLabel = "LEDGER",
      description =
          "Fill the index of this ledger alone. Default: of all ledgers, and all slots of "
              + "its nodes are made anew. With --as-of: the ledger whose state is made; needed if "
              + "several have one")
  private @Nullable String ledgerId;

  @ArgGroup(exclusive = false)
  private @Nullable AsOf asOf;

  /// The block as of which a state is made, and where.
  static final class AsOf {
    @Option(
        names = "--as-of",
        paramLabel = "HEIGHT",
        required = true,
        description = "Make the state as it was at the end of this block; with --index state")
    private long height;

    @Option(
        names = "--out",
        paramLabel = "DIR",
        required = true,
        description =
            "The folder to make it in: made if it does not exist, or empty. Values are in it: keep "
                + "it as safe as the data directory")
    private Path out = Path.of("");
  }

  @Mixin private GpuOptions gpu = new GpuOptions();

  enum Index {
    clue(Feature.CLUE_TRIE, "the clue index and the clue trie", "clues"),
    state(Feature.STATE_FOREST, "the state", "a state");

    private final Feature feature;
    private final String words;
    private final String had;

    /// @param had what a ledger with the feature has
    Index(Feature feature, String words, String had) {
      this.feature = feature;
      this.words = words;
      this.had = had;
    }
  }

  @Override
  public Integer call() throws Exception {
    LedgerId only = ledgerId == null ? null : ServiceOptions.ledgerId(ledgerId);
    if (asOf != null) {
      checkAsOf(asOf.height);
      return new RebuildAsOf(new NodeFolders(data, keys), only, asOf.height, asOf.out, output)
          .make(gpu.mode());
    }
    Seen seen = new Seen(index, output.progress("leaves"));
    long started = System.nanoTime();
    int ledgers;
    try (CommandHashing hashing = CommandHashing.open(gpu.mode(), output.err())) {
      ledgers =
          LocalRepair.index(
              index.feature,
              new NodeFolders(data, keys),
              only,
              SignatureProviders.best(),
              hashing.hasher(),
              seen);
    } catch (CorruptStreamException fault) {
      seen.progress.end();
      output.print(
          String.format(
              Locale.ROOT,
              "EVIDENCE DOES NOT VERIFY: %s%n%s",
              Printable.of(String.valueOf(fault.getMessage())),
              seen.begun
                  ? "The index is not finished; the service refuses what needs it."
                  : "Nothing was changed."),
          Output.object("index", index.name(), "ledgers", seen.ledgers, "fault", object(fault)));
      return ExitCode.EVIDENCE;
    } catch (ServiceKeysException e) {
      throw new IOException(e.getMessage(), e);
    }
    seen.progress.end();
    if (only != null && ledgers == 0) {
      throw new UsageException("no ledger " + only + " with " + index.had + " in " + data);
    }
    output.print(
        text(seen, ledgers, (System.nanoTime() - started) / 1e9),
        Output.object("index", index.name(), "ledgers", seen.ledgers));
    return ExitCode.OK;
  }

  private void checkAsOf(long height) throws UsageException {
    if (index != Index.state) {
      throw new UsageException("--as-of and --out are of --index state");
    }
    if (height < 0) {
      throw new UsageException("--as-of is 0 or more");
    }
  }

  static Map<String, Object> object(CorruptStreamException fault) {
    return Output.object(
        "file",
        fault.file(),
        "offset",
        fault.offset(),
        "detail",
        String.valueOf(fault.getMessage()));
  }

  private String text(Seen seen, int ledgers, double seconds) {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "Rebuilt %s of %s: %,d leaves in %.1f s, every root as sealed.",
            index.words,
            Count.of(ledgers, "ledger"),
            seen.all,
            seconds));
    if (seen.lost) {
      text.append(System.lineSeparator())
          .append("Some slots of the old index stay taken until all ledgers are rebuilt.");
    }
    return text.toString();
  }

  /// The ledgers rebuilt so far, and the progress of the rebuild.
  private static final class Seen implements IndexRebuild.Watch {
    private final Index index;
    private final Progress progress;
    private final List<Map<String, Object>> ledgers = new ArrayList<>();
    private long all;
    private long before;
    private boolean lost;
    private boolean begun;
    private @Nullable StrandId checking;
    private long checked;

    private Seen(Index index, Progress progress) {
      this.index = index;
      this.progress = progress;
    }

    @Override
    public void planned(int strands, long leaves) {
      all = leaves;
    }

    /// Checking a leaf is one half of its work, filling the index with it the other.
    @Override
    public void isChecked(StrandId strand, long leaves) {
      if (!strand.equals(checking)) {
        before += checked;
        checking = strand;
      }
      checked = leaves;
      progress.update((before + leaves) / 2, all);
    }

    @Override
    public void begins(StrandId strand, long leaves, @Nullable CorruptStreamException why) {
      if (!begun) {
        begun = true;
        before = 0;
      }
    }

    @Override
    public void isAt(StrandId strand, long leaves, long ofStrand) {
      progress.update((all + before + leaves) / 2, all);
    }

    @Override
    public void ended(StrandId strand, IndexRebuild.Rebuilt rebuilt) {
      before += rebuilt.leaves();
      lost |= rebuilt.lostNodes() != 0;
      Map<String, Object> ledger =
          Output.object(
              "ledger",
              strand.ledger().toString(),
              "blocks",
              rebuilt.blocks(),
              "leaves",
              rebuilt.leaves());
      if (index == Index.clue) {
        ledger.put("clues", rebuilt.keys());
      }
      ledger.put("entries", rebuilt.entries());
      ledger.put("lostNodes", rebuilt.lostNodes());
      ledgers.add(ledger);
    }
  }
}
