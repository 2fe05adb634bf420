package io.tallystick.cli.member;

import io.tallystick.cli.option.GivenKeys;
import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.option.RoleName;
import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.text.HeadText;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.client.member.LedgerMember;
import io.tallystick.client.member.MemberTerms;
import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Digest;
import io.tallystick.model.Printable;
import io.tallystick.model.Role;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Lets members in and out; each change is a journal signed by an owner.
@Command(
    name = "member",
    description = {
      "List, add, grant and revoke members.",
      "A change is a journal that an owner signs."
    },
    mixinStandardHelpOptions = true,
    subcommands = {
      MemberCommand.Add.class,
      MemberCommand.Revoke.class,
      GrantCommand.class,
      CertificateCommand.class,
      MemberCommand.Listing.class
    })
public final class MemberCommand {
  static String line(LedgerMember member) {
    MemberTerms terms = member.terms();
    StringBuilder line = new StringBuilder();
    line.append(member.kid()).append("  ").append(member.role().name().toLowerCase(Locale.ROOT));
    if (terms.delegated()) {
      line.append(", delegated");
    }
    terms.notAfterMs().ifPresent(ms -> line.append(", until ").append(Instant.ofEpochMilli(ms)));
    terms.certDigest().ifPresent(digest -> line.append(", certificates ").append(digest));
    member.revokedJsn().ifPresent(jsn -> line.append(", revoked at ").append(jsn));
    member.replacedBy().ifPresent(kid -> line.append(", replaced by ").append(kid));
    return line.toString();
  }

  static Map<String, Object> row(LedgerMember member) {
    Map<String, Object> row =
        Output.object(
            "kid",
            member.kid().hex(),
            "role",
            member.role().name().toLowerCase(Locale.ROOT),
            "addedJsn",
            member.addedJsn().value());
    MemberTerms terms = member.terms();
    member.revokedJsn().ifPresent(jsn -> row.put("revokedJsn", jsn.value()));
    if (!terms.grantedJsn().equals(member.addedJsn())) {
      row.put("grantedJsn", terms.grantedJsn().value());
    }
    terms.notAfterMs().ifPresent(ms -> row.put("notAfterMs", ms));
    row.put("delegated", terms.delegated());
    terms.certDigest().ifPresent(digest -> row.put("certDigest", digest.hex()));
    member.replacedBy().ifPresent(kid -> row.put("replacedBy", kid.hex()));
    return row;
  }

  @Command(name = "add", description = "Add a member's key.", mixinStandardHelpOptions = true)
  static final class Add implements Callable<Integer> {
    @Mixin private ServiceOptions service = new ServiceOptions();
    @Mixin private Output output = new Output();

    @Parameters(index = "0", paramLabel = "LEDGER", description = "Ledger id")
    private String ledgerId = "";

    @Parameters(
        index = "1",
        paramLabel = "SPKI",
        description = "The public key, as `tally keygen` shows it")
    private String spki = "";

    @Option(
        names = "--role",
        defaultValue = "normal",
        converter = RoleName.class,
        description =
            "The member's role: owner, regulator, normal, readOnly or verifyOnly. Default: "
                + "${DEFAULT-VALUE}")
    private Role role = Role.NORMAL;

    @Option(names = "--key", required = true, paramLabel = "FILE", description = "An owner's key")
    private Path key = Path.of("");

    @Override
    public Integer call() throws Exception {
      PublicKey member = GivenKeys.publicKey(spki);
      try (TallyClient client = service.connect()) {
        LedgerHandle ledger = ServiceOptions.open(client, ledgerId, List.of(key));
        VerifiedReceipt receipt = ledger.addMember(role, member);
        output.print(
            String.format(
                Locale.ROOT,
                "Added %s at jsn %s; it may %s from the next journal on.",
                member.kid(),
                receipt.jsn(),
                may(role)),
            Output.object("kid", member.kid().hex(), "jsn", receipt.jsn().value()));
      }
      return ExitCode.OK;
    }
  }

  private static String may(Role role) {
    return switch (role) {
      case OWNER, REGULATOR, NORMAL -> "sign";
      case READ_ONLY -> "read";
      case VERIFY_ONLY -> "verify";
    };
  }

  @Command(name = "revoke", description = "Revoke a member's key.", mixinStandardHelpOptions = true)
  static final class Revoke implements Callable<Integer> {
    @Mixin private ServiceOptions service = new ServiceOptions();
    @Mixin private Output output = new Output();

    @Parameters(index = "0", paramLabel = "LEDGER", description = "Ledger id")
    private String ledgerId = "";

    @Parameters(index = "1", paramLabel = "KID", description = "The key id, 64 hex digits")
    private String kid = "";

    @Option(names = "--key", required = true, paramLabel = "FILE", description = "An owner's key")
    private Path key = Path.of("");

    @Override
    public Integer call() throws Exception {
      Digest member = GivenKeys.kid(kid);
      try (TallyClient client = service.connect()) {
        LedgerHandle ledger = ServiceOptions.open(client, ledgerId, List.of(key));
        VerifiedReceipt receipt = ledger.revokeMember(member);
        output.print(
            String.format(
                Locale.ROOT,
                "Revoked %s at jsn %s; its signatures count no more from the next journal on.",
                member,
                receipt.jsn()),
            Output.object("kid", member.hex(), "jsn", receipt.jsn().value()));
      }
      return ExitCode.OK;
    }
  }

  @Command(
      name = "list",
      description = "List all members, revoked ones included.",
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
        List<String> lines = new ArrayList<>();
        List<Map<String, Object>> rows = new ArrayList<>();
        for (LedgerMember member : ledger.members()) {
          Optional<String> subject = CertificateCommand.subject(ledger, member);
          lines.add(line(member) + subject.map(name -> " (" + Printable.of(name) + ")").orElse(""));
          Map<String, Object> row = row(member);
          subject.ifPresent(name -> row.put("subject", name));
          rows.add(row);
        }
        HeadText.print(
            output,
            ledger,
            String.join(System.lineSeparator(), lines),
            Output.object("members", rows));
      }
      return ExitCode.OK;
    }
  }
}
