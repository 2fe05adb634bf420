package io.tallystick.cli.proposal;

import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.HeadText;
import io.tallystick.cli.text.ProposalText;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.ProposalStatus;
import io.tallystick.client.ProposalStatus.Policy;
import io.tallystick.client.TallyClient;
import io.tallystick.journal.Proposal;
import io.tallystick.model.Digest;
import io.tallystick.model.Printable;
import io.tallystick.model.Role;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Has the service keep proposals, so that signers need no way of their own to hand on a file.
@Command(
    name = "proposal",
    description = {
      "Have the service keep a proposal until everyone whose signature it needs has signed.",
      "It submits the proposal with the last signature that is needed."
    },
    mixinStandardHelpOptions = true,
    subcommands = {
      ProposalCommand.Put.class,
      ProposalCommand.Listing.class,
      ProposalCommand.Get.class,
      ProposalCommand.Withdraw.class
    })
public final class ProposalCommand {
  private static String line(ProposalStatus status) {
    return switch (status.state()) {
      case OPEN -> "open, says the service; missing " + missing(status);
      case SUBMITTING -> "submitted, says the service; its outcome is not known yet";
      case COMMITTED ->
          "done"
              + status.jsn().map(jsn -> " at jsn " + jsn).orElse("")
              + (status.verified() ? "" : ", says the service: its journal cannot be read");
      case REFUSED ->
          "refused, says the service: " + Printable.of(status.refusal().orElse("no reason given"));
      case IMPOSSIBLE ->
          "no longer possible, says the service: "
              + Printable.of(status.refusal().orElse("no reason given"));
    };
  }

  private static String missing(ProposalStatus status) {
    String within = status.policy() == Policy.EVERY_OWNER ? " and " : " or ";
    Map<Role, List<String>> byRole = new TreeMap<>();
    for (ProposalStatus.Signer signer : status.missing()) {
      byRole.computeIfAbsent(signer.role(), _ -> new ArrayList<>()).add(words(signer));
    }
    return byRole.values().stream()
        .map(each -> String.join(within, each))
        .collect(Collectors.joining(", and "));
  }

  private static String policy(ProposalStatus status) {
    return switch (status.policy()) {
      case ONE_OWNER -> "oneOwner";
      case EVERY_OWNER -> "everyOwner";
      case OWNER_AND_REGULATOR -> "ownerAndRegulator";
    };
  }

  private static String words(ProposalStatus.Signer signer) {
    return role(signer) + " " + signer.kid();
  }

  private static String role(ProposalStatus.Signer signer) {
    return signer.role().name().toLowerCase(Locale.ROOT);
  }

  private static Map<String, Object> row(ProposalStatus status) {
    Map<String, Object> row =
        Output.object(
            "requestHash",
            status.requestHash().hex(),
            "status",
            status.state().name().toLowerCase(Locale.ROOT),
            "expiresMs",
            status.expiresMs(),
            "policy",
            policy(status),
            "signers",
            signers(status.signers()),
            "missing",
            signers(status.missing()));
    status.jsn().ifPresent(jsn -> row.put("jsn", jsn.value()));
    status.refusal().ifPresent(refusal -> row.put("refusal", refusal));
    return row;
  }

  private static List<Map<String, Object>> signers(List<ProposalStatus.Signer> signers) {
    return signers.stream()
        .map(signer -> Output.object("kid", signer.kid().hex(), "role", role(signer)))
        .toList();
  }

  private static Digest hash(String hex) throws UsageException {
    try {
      return Digest.fromHex(hex);
    } catch (IllegalArgumentException e) {
      throw new UsageException("\"" + hex + "\" is no proposal's hash: 64 hex digits");
    }
  }

  @Command(
      name = "put",
      description = {
        "Send a signed proposal to the service, or its further signatures.",
        "Ends with status 3 if the ledger refuses the change."
      },
      mixinStandardHelpOptions = true)
  static final class Put implements Callable<Integer> {
    @Mixin private ServiceOptions service = new ServiceOptions();
    @Mixin private Output output = new Output();

    @Parameters(paramLabel = "FILE", description = "The proposal, as `tally sign` leaves it")
    private Path file = Path.of("");

    @Override
    public Integer call() throws Exception {
      Proposal proposal = new ProposalFile(file).read();
      if (proposal.signatures().isEmpty()) {
        throw new UsageException("nobody has signed " + file + "; see `tally sign`");
      }
      ProposalStatus status;
      try (TallyClient client = service.connect()) {
        status = client.open(proposal.request().strand().ledger()).proposals().put(proposal);
      }
      output.print(
          String.format(Locale.ROOT, "proposal %s%n%s", status.requestHash(), line(status)),
          row(status));
      return switch (status.state()) {
        case REFUSED, IMPOSSIBLE -> ExitCode.REFUSED;
        case OPEN, SUBMITTING, COMMITTED -> ExitCode.OK;
      };
    }
  }

  @Command(
      name = "list",
      description = "List the proposals that the service keeps for a ledger.",
      mixinStandardHelpOptions = true)
  static final class Listing implements Callable<Integer> {
    @Mixin private ReadOptions read = new ReadOptions();
    @Mixin private Output output = new Output();

    @Parameters(paramLabel = "LEDGER", description = "Ledger id")
    private String ledgerId = "";

    @Override
    public Integer call() throws Exception {
      try (TallyClient client = read.connect()) {
        LedgerHandle ledger = read.open(client, ledgerId, List.of());
        show(ledger, ledger.proposals().list());
      }
      return ExitCode.OK;
    }

    private void show(LedgerHandle ledger, List<ProposalStatus> all) {
      String text =
          all.isEmpty()
              ? "No proposals."
              : all.stream()
                  .map(status ->
                      String.format(
                          Locale.ROOT,
                          "%s  %s, until %s",
                          status.requestHash(),
                          line(status),
                          Instant.ofEpochMilli(status.expiresMs())))
                  .collect(Collectors.joining(System.lineSeparator()));
      HeadText.print(
          output,
          ledger,
          text,
          Output.object("proposals", all.stream().map(ProposalCommand::row).toList()));
    }
  }

  @Command(
      name = "get",
      description = {
        "Show what a kept proposal asks for and who has yet to sign.",
        "With --out it is also written to a file, for `tally sign`."
      },
      mixinStandardHelpOptions = true)
  static final class Get implements Callable<Integer> {
    @Mixin private ReadOptions read = new ReadOptions();
    @Mixin private Output output = new Output();

    @Parameters(index = "0", paramLabel = "LEDGER", description = "Ledger id")
    private String ledgerId = "";

    @Parameters(index = "1", paramLabel = "HASH", description = "The proposal's hash")
    private String requestHash = "";

    @Option(names = "--out", paramLabel = "FILE", description = "A file that does not exist yet")
    private @Nullable Path out;

    @Override
    public Integer call() throws Exception {
      Digest hash = hash(requestHash);
      try (TallyClient client = read.connect()) {
        LedgerHandle ledger = read.open(client, ledgerId, List.of());
        show(ledger, ledger.proposals().get(hash), ledger.proposals().status(hash));
      }
      return ExitCode.OK;
    }

    private void show(LedgerHandle ledger, Proposal proposal, ProposalStatus status)
        throws IOException, UsageException {
      if (out != null) {
        new ProposalFile(out).create(proposal);
      }
      Map<String, Object> row = ProposalText.row(proposal);
      row.putAll(row(status));
      HeadText.print(
          output,
          ledger,
          String.format(Locale.ROOT, "%s%n%s", ProposalText.lines(proposal), line(status)),
          row);
    }
  }

  @Command(
      name = "withdraw",
      description = "Have the service forget a proposal that is not submitted yet.",
      mixinStandardHelpOptions = true)
  static final class Withdraw implements Callable<Integer> {
    @Mixin private ServiceOptions service = new ServiceOptions();
    @Mixin private Output output = new Output();

    @Parameters(index = "0", paramLabel = "LEDGER", description = "Ledger id")
    private String ledgerId = "";

    @Parameters(index = "1", paramLabel = "HASH", description = "The proposal's hash")
    private String requestHash = "";

    @Override
    public Integer call() throws Exception {
      Digest hash = hash(requestHash);
      try (TallyClient client = service.connect()) {
        ServiceOptions.open(client, ledgerId, List.of()).proposals().withdraw(hash);
      }
      output.print(
          String.format(Locale.ROOT, "proposal %s%nis forgotten, says the service", hash),
          Output.object("requestHash", hash.hex()));
      return ExitCode.OK;
    }
  }
}
