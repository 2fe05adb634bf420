package io.tallystick.cli.member;

import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.Count;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.HeadText;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.ListedLedger;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.member.LedgerMember;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.nio.file.Path;
import java.time.Instant;
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

/// Founds, lists, shows and closes ledgers.
@Command(
    name = "ledger",
    description = "Found, list, show and close ledgers.",
    mixinStandardHelpOptions = true,
    subcommands = {
      CreateCommand.class,
      LedgerCommand.Listing.class,
      LedgerCommand.Show.class,
      LedgerCommand.Close.class
    })
public final class LedgerCommand {
  @Command(
      name = "list",
      description = {
        "List the public ledgers of a service, or those of one member.",
        "With --reader-key the ledgers of that member are listed. Nothing listed is " + "verified."
      },
      mixinStandardHelpOptions = true)
  static final class Listing implements Callable<Integer> {
    @Option(
        names = "--authority",
        paramLabel = "HOST[:PORT]",
        description = "The service's name for the reader's token. Default: the host of --service")
    private @Nullable String authority;

    @Mixin private ServiceOptions service = new ServiceOptions();
    @Mixin private Output output = new Output();

    @Override
    public Integer call() throws Exception {
      try (TallyClient client = service.connect()) {
        List<ListedLedger> ledgers = listed(client);
        StringBuilder text = new StringBuilder();
        List<Map<String, Object>> rows = new ArrayList<>();
        for (ListedLedger ledger : ledgers) {
          text.append(
              String.format(
                  Locale.ROOT,
                  "%s  %,10d leaves  %s%n",
                  ledger.id(),
                  ledger.size(),
                  Printable.of(ledger.name())));
          rows.add(
              Output.object(
                  "ledgerId",
                  ledger.id().hex(),
                  "name",
                  ledger.name(),
                  "size",
                  ledger.size(),
                  "height",
                  ledger.height()));
        }
        output.print(
            text + Count.of(ledgers.size(), "ledger") + ", says the service",
            Output.object("ledgers", rows));
      }
      return ExitCode.OK;
    }

    private List<ListedLedger> listed(TallyClient client) throws TallyException, UsageException {
      if (authority != null) {
        return client.listLedgers(TokenCommand.authority(authority));
      }
      try {
        return client.listLedgers();
      } catch (VerificationException e) {
        if (e.reason() != Reason.WRONG_ORIGIN) {
          throw e;
        }
        String detail =
            e.getCause() instanceof ProofRejectedException why ? why.detail() : e.getMessage();
        throw new UsageException(detail + "; if that is its name, say so with --authority");
      }
    }
  }

  @Command(
      name = "close",
      description = {
        "Close a ledger for ever, signed with every valid owner's key.",
        "It stays readable and provable. It takes no more journals, and no change of members or "
            + "parameters."
      },
      mixinStandardHelpOptions = true)
  static final class Close implements Callable<Integer> {
    @Mixin private ServiceOptions service = new ServiceOptions();
    @Mixin private Output output = new Output();

    @Parameters(paramLabel = "LEDGER", description = "Ledger id, 64 hex digits")
    private String ledgerId = "";

    @Option(
        names = "--key",
        required = true,
        paramLabel = "FILE",
        description = "An owner's private key; repeat the option for each owner")
    private List<Path> keys = List.of();

    @Override
    public Integer call() throws Exception {
      try (TallyClient client = service.connect()) {
        LedgerHandle ledger = ServiceOptions.open(client, ledgerId, keys);
        long jsn = ledger.closeLedger().jsn().value();
        output.print(
            String.format(
                Locale.ROOT, "Closed %s at jsn %d; it takes no more journals.", ledger.id(), jsn),
            Output.object("ledgerId", ledger.id().hex(), "jsn", jsn));
      }
      return ExitCode.OK;
    }
  }

  @Command(
      name = "show",
      description = "Show a ledger's newest verified head and its members.",
      mixinStandardHelpOptions = true)
  static final class Show implements Callable<Integer> {
    @Mixin private ReadOptions read = new ReadOptions();
    @Mixin private Output output = new Output();

    @Parameters(paramLabel = "LEDGER", description = "Ledger id, 64 hex digits")
    private String ledgerId = "";

    @Override
    public Integer call() throws Exception {
      try (TallyClient client = read.connect()) {
        LedgerHandle ledger = read.open(client, ledgerId, List.of());
        SignedHead head = HeadText.newest(ledger).head();
        List<LedgerMember> members = ledger.members();
        StringBuilder text = new StringBuilder();
        text.append(String.format(Locale.ROOT, "ledger   %s%n", ledger.id()));
        text.append(
            String.format(
                Locale.ROOT, "origin   %s%n", Printable.of(ledger.trust().genesis().origin(0))));
        text.append(
            String.format(
                Locale.ROOT,
                "founded  %s%n",
                Instant.ofEpochMilli(ledger.trust().genesis().createdMs())));
        text.append(String.format(Locale.ROOT, "size     %,d leaves%n", head.size().value()));
        text.append(String.format(Locale.ROOT, "root     %s%n", head.root().digest()));
        List<Map<String, Object>> rows = new ArrayList<>();
        for (LedgerMember member : members) {
          text.append(String.format(Locale.ROOT, "member   %s%n", MemberCommand.line(member)));
          rows.add(MemberCommand.row(member));
        }
        HeadText.print(
            output,
            ledger,
            text
                + "The head is signed by the ledger's own keys and joins all this user trusted"
                + " before.",
            Output.object(
                "ledgerId",
                ledger.id().hex(),
                "size",
                head.size().value(),
                "root",
                head.root().digest().hex(),
                "members",
                rows));
      }
      return ExitCode.OK;
    }
  }
}
