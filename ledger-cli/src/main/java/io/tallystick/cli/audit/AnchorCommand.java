package io.tallystick.cli.audit;

import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.Count;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.HeadText;
import io.tallystick.client.LedgerAnchors;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedAnchor;
import io.tallystick.head.SignedHead;
import io.tallystick.model.TreeSize;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Heads up to which nothing is verified again.
@Command(
    name = "anchor",
    description = {
      "Set, share, get and list trusted anchors.",
      "An anchor is a head of the log up to which nothing is verified again."
    },
    mixinStandardHelpOptions = true,
    subcommands = {
      AnchorCommand.Set.class,
      AnchorCommand.Share.class,
      AnchorCommand.Get.class,
      AnchorCommand.Listing.class
    })
public final class AnchorCommand {
  private static Map<String, Object> row(SignedHead head) {
    return Output.object("size", head.size().value(), "root", head.root().digest().hex());
  }

  private static String line(SignedHead head) {
    return String.format(Locale.ROOT, "size %s, root %s", head.size(), head.root());
  }

  /// In the trust directory.
  @Command(
      name = "set",
      description = "Set the newest head as an anchor in the trust directory.",
      mixinStandardHelpOptions = true)
  static final class Set implements Callable<Integer> {
    @Mixin private ReadOptions read = new ReadOptions();
    @Mixin private Output output = new Output();

    @Parameters(paramLabel = "LEDGER", description = "Ledger id")
    private String ledgerId = "";

    @Override
    public Integer call() throws Exception {
      try (TallyClient client = read.connect()) {
        LedgerHandle ledger = read.open(client, ledgerId, List.of());
        SignedHead head = HeadText.newest(ledger).head();
        ledger.anchors().set(head);
        HeadText.print(output, ledger, "Anchor set: " + line(head), row(head));
      }
      return ExitCode.OK;
    }
  }

  /// For all members.
  @Command(
      name = "share",
      description = {
        "Sign the newest head as an anchor and have the service keep it for all members.",
        "Whoever shares an anchor says that the log was verified up to there: audit it first."
      },
      mixinStandardHelpOptions = true)
  static final class Share implements Callable<Integer> {
    @Mixin private ReadOptions read = new ReadOptions();
    @Mixin private Output output = new Output();

    @Parameters(paramLabel = "LEDGER", description = "Ledger id")
    private String ledgerId = "";

    @Option(
        names = "--key",
        paramLabel = "FILE",
        required = true,
        description = "A member's private key")
    private Path key = Path.of("");

    @Override
    public Integer call() throws Exception {
      try (TallyClient client = read.connect()) {
        LedgerHandle ledger = read.open(client, ledgerId, List.of(key));
        SignedHead head = HeadText.newest(ledger).head();
        var _ = ledger.anchors().share(head);
        HeadText.print(output, ledger, "Anchor shared: " + line(head), row(head));
      }
      return ExitCode.OK;
    }
  }

  /// One that members share.
  @Command(
      name = "get",
      description = {
        "Get the nearest anchor that a member shares, and verify it.",
        "Its signer is a current member, and the service's head of that size has its root."
      },
      mixinStandardHelpOptions = true)
  static final class Get implements Callable<Integer> {
    @Mixin private ReadOptions read = new ReadOptions();
    @Mixin private Output output = new Output();

    @Parameters(paramLabel = "LEDGER", description = "Ledger id")
    private String ledgerId = "";

    @Option(
        names = "--size",
        paramLabel = "SIZE",
        description = "The anchor has at most so many leaves. Default: the largest anchor")
    private @Nullable Long size;

    @Option(
        names = "--out",
        paramLabel = "FILE",
        description = "The file to write the anchor to, for `tally audit --from-anchor`")
    private @Nullable Path out;

    @Option(names = "--set", description = "Also set it in the trust directory")
    private boolean set;

    @Override
    public Integer call() throws Exception {
      Long wanted = size;
      if (wanted != null && wanted < 1) {
        throw new UsageException("--size is 1 or more");
      }
      LocalPaths.checkNoFolder(out);
      try (TallyClient client = read.connect()) {
        LedgerHandle ledger = read.open(client, ledgerId, List.of());
        LedgerAnchors anchors = ledger.anchors();
        VerifiedAnchor found =
            wanted == null ? anchors.newest() : anchors.nearest(new TreeSize(wanted));
        if (set) {
          anchors.set(found.head());
        }
        if (out != null) {
          LocalPaths.writeNew(out, found.encoded().toArray());
        }
        Map<String, Object> row = row(found.head());
        row.put("kid", found.signed().kid().hex());
        HeadText.print(
            output,
            ledger,
            String.format(
                Locale.ROOT, "Anchor: %s%nshared by %s", line(found.head()), found.signed().kid()),
            row);
      }
      return ExitCode.OK;
    }
  }

  /// Those in the trust directory.
  @Command(
      name = "list",
      description = "List the anchors in the trust directory.",
      mixinStandardHelpOptions = true)
  static final class Listing implements Callable<Integer> {
    @Mixin private ServiceOptions service = new ServiceOptions();
    @Mixin private Output output = new Output();

    @Parameters(paramLabel = "LEDGER", description = "Ledger id")
    private String ledgerId = "";

    @Override
    public Integer call() throws Exception {
      try (TallyClient client = service.connect()) {
        List<SignedHead> anchors =
            ServiceOptions.open(client, ledgerId, List.of()).anchors().list();
        String lines =
            anchors.stream()
                .map(AnchorCommand::line)
                .collect(Collectors.joining(System.lineSeparator()));
        output.print(
            anchors.isEmpty() ? Count.of(0, "anchor") : lines,
            Output.object("anchors", anchors.stream().map(AnchorCommand::row).toList()));
      }
      return ExitCode.OK;
    }
  }
}
