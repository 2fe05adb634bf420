package io.tallystick.cli.member;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.cli.option.GrantOptions;
import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.journal.Extension;
import io.tallystick.model.Digest;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Says of a key which role it has, until when, for whom and in whose place.
@Command(
    name = "grant",
    description = {
      "Give a key a role, an expiry, or another member's place.",
      "A new key becomes a member. Of a member's key role, expiry and mark are said anew; a key "
          + "that was revoked stays so."
    },
    mixinStandardHelpOptions = true)
final class GrantCommand implements Callable<Integer> {
  @Mixin private ServiceOptions service = new ServiceOptions();
  @Mixin private Output output = new Output();
  @Mixin private GrantOptions terms = new GrantOptions();

  @Parameters(index = "0", paramLabel = "LEDGER", description = "Ledger id")
  private String ledgerId = "";

  @Parameters(
      index = "1",
      paramLabel = "SPKI",
      description = "The public key, as `tally keygen` shows it")
  private String spki = "";

  @Option(
      names = "--key",
      required = true,
      paramLabel = "FILE",
      description = "An owner's key; repeat the option for co-signers, such as the key replaced")
  private List<Path> keys = List.of();

  @Override
  public Integer call() throws Exception {
    Extension.Grant grant = terms.grant(spki);
    try (TallyClient client = service.connect()) {
      LedgerHandle ledger = ServiceOptions.open(client, ledgerId, keys);
      Optional<CertificateChain> chain = terms.chain();
      VerifiedReceipt receipt =
          chain.isPresent() ? ledger.grant(grant, chain.get()) : ledger.grant(grant);
      output.print(text(grant, receipt), row(grant, receipt));
    }
    return ExitCode.OK;
  }

  private static String text(Extension.Grant grant, VerifiedReceipt receipt) {
    String replaced =
        grant.replaces().map(kid -> String.format(Locale.ROOT, " %s is revoked.", kid)).orElse("");
    return String.format(
        Locale.ROOT,
        "Granted %s at jsn %s; it holds from the next journal on.%s",
        grant.key().kid(),
        receipt.jsn(),
        replaced);
  }

  private static Map<String, Object> row(Extension.Grant grant, VerifiedReceipt receipt) {
    Map<String, Object> row =
        Output.object("kid", grant.key().kid().hex(), "jsn", receipt.jsn().value());
    grant.replaces().map(Digest::hex).ifPresent(kid -> row.put("replaces", kid));
    grant.certDigest().map(Digest::hex).ifPresent(digest -> row.put("certDigest", digest));
    return row;
  }
}
