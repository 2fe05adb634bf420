package io.tallystick.cli;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.TallyException;
import io.tallystick.model.LedgerId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/// Options of every command that talks to a service.
final class ServiceOptions {
  private static final Pattern LEDGER_ID = Pattern.compile("[0-9a-f]{64}");

  @Option(
      names = "--service",
      paramLabel = "HOST:PORT",
      defaultValue = "${env:TALLY_SERVICE:-127.0.0.1:4510}",
      description =
          "Where the service listens (environment: TALLY_SERVICE). Default: ${DEFAULT-VALUE}")
  private String service = "";

  @Option(
      names = "--trust",
      paramLabel = "DIR",
      defaultValue = "${env:TALLY_TRUST:-${sys:user.home}/.tallystick/trust}",
      description = {
        "What this user has pinned and verified (environment: TALLY_TRUST); keep it.",
        "Default: ${DEFAULT-VALUE}"
      })
  private Path trust = Path.of("");

  TallyClient connect() {
    return TallyClient.connect(config());
  }

  ClientConfig config() {
    return ClientConfig.of(service, trust);
  }

  String target() {
    return service;
  }

  static LedgerId ledgerId(String text) throws UserErrorException {
    if (!LEDGER_ID.matcher(text).matches()) {
      throw new UserErrorException(
          "\""
              + text
              + "\" is no ledger id: 64 lower-case hex digits, as `tally ledger list` shows");
    }
    return LedgerId.fromHex(text);
  }

  static LedgerHandle open(TallyClient client, String ledger, List<Path> keys)
      throws TallyException, UserErrorException, IOException {
    return client.open(ledgerId(ledger), load(keys).toArray(ClientKey[]::new));
  }

  static List<ClientKey> load(List<Path> files) throws IOException {
    java.util.ArrayList<ClientKey> keys = new java.util.ArrayList<>();
    for (Path file : files) {
      keys.add(ClientKey.load(file));
    }
    return keys;
  }
}
