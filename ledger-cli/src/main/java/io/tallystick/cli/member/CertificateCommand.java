package io.tallystick.cli.member;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.cli.option.CertificateFiles;
import io.tallystick.cli.option.GivenKeys;
import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.HeadText;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.member.LedgerMember;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.RejectionCode;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The certificates that members show for their keys.
@Command(
    name = "certificate",
    description = {
      "Print a member's certificates in PEM, the member's own first.",
      "They are those that its newest grant names; who issued them is not checked here."
    },
    mixinStandardHelpOptions = true)
final class CertificateCommand implements Callable<Integer> {
  @Mixin private ReadOptions read = new ReadOptions();
  @Mixin private Output output = new Output();

  @Parameters(index = "0", paramLabel = "LEDGER", description = "Ledger id")
  private String ledgerId = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "KID",
      description = "The key id, 64 hex digits")
  private @Nullable String kid;

  @Option(
      names = "--show",
      paramLabel = "FILE",
      description =
          "Instead, have the service keep the certificates of this file, for a proposal of a grant "
              + "that names them; with --key")
  private @Nullable Path shown;

  @Option(
      names = "--erase",
      paramLabel = "DIGEST",
      description = "Instead, have the service forget certificates; with an owner's --key")
  private @Nullable String erased;

  @Option(
      names = "--key",
      paramLabel = "FILE",
      description = "The key of a member that may append, for --show, or of an owner, for --erase")
  private @Nullable Path key;

  @Override
  public Integer call() throws Exception {
    boolean asksForOne = kid != null;
    int asked = (asksForOne ? 1 : 0) + (shown == null ? 0 : 1) + (erased == null ? 0 : 1);
    if (asked != 1) {
      throw new UsageException("KID, --show and --erase exclude each other, and one is needed");
    }
    if (!asksForOne) {
      read.checkNoAge(shown == null ? "--erase" : "--show");
    }
    try (TallyClient client = read.connectAs(key)) {
      List<Path> keys = key == null ? List.of() : List.of(key);
      if (shown != null) {
        show(ServiceOptions.open(client, ledgerId, keys), CertificateFiles.chain(shown));
      } else if (erased != null) {
        erase(ServiceOptions.open(client, ledgerId, keys), digest(erased));
      } else {
        print(read.open(client, ledgerId, keys), GivenKeys.kid(String.valueOf(kid)));
      }
    }
    return ExitCode.OK;
  }

  private void show(LedgerHandle ledger, CertificateChain chain) throws Exception {
    ledger.certificates().show(chain);
    output.print(
        String.format(
            Locale.ROOT,
            "The service says that it keeps the certificates of %s: %s",
            Printable.of(chain.subject()),
            chain.digest()),
        Output.object("certDigest", chain.digest().hex(), "subject", chain.subject()));
  }

  private void erase(LedgerHandle ledger, Digest certDigest) throws TallyException {
    ledger.certificates().erase(certDigest);
    output.print(
        String.format(
            Locale.ROOT, "The service says that it keeps certificates %s no more.", certDigest),
        Output.object("certDigest", certDigest.hex()));
  }

  private void print(LedgerHandle ledger, Digest member) throws Exception {
    try {
      CertificateChain chain = ledger.certificates().ofMember(member);
      HeadText.printAside(
          output,
          ledger,
          chain.pem().strip(),
          Output.object(
              "kid", member.hex(),
              "certDigest", chain.digest().hex(),
              "subject", chain.subject(),
              "pem", chain.pem()));
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private static Digest digest(String hex) throws UsageException {
    try {
      return Digest.fromHex(hex);
    } catch (IllegalArgumentException e) {
      throw new UsageException("\"" + hex + "\" is no digest: 64 hex digits");
    }
  }

  /// The name in a member's certificate; empty if there is none, or it was erased.
  static Optional<String> subject(LedgerHandle ledger, LedgerMember member)
      throws TallyException, MalformedException {
    Optional<Digest> digest = member.terms().certDigest();
    if (digest.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(ledger.certificates().named(digest.get()).subject());
    } catch (RequestRefusedException e) {
      if (e.code().equals(RejectionCode.UNKNOWN_CERTIFICATE.wire())) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
