package io.tallystick.cli;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.TallyException;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/// Options of every command that talks to a service.
final class ServiceOptions {
  private static final Pattern LEDGER_ID = Pattern.compile("[0-9a-f]{64}");
  private static final Pattern HOST_AND_PORT =
      Pattern.compile("([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+]):[0-9]{1,5}");

  private static final int PORT_MAX = 65_535;

  /// Writes the stack of what fails to standard error; the command tells it in one line anyway.
  private static final Logger GRPC = Logger.getLogger("io.grpc");

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

  TallyClient connect() throws UserErrorException, FileSystemException {
    return TallyClient.connect(config());
  }

  ClientConfig config() throws UserErrorException, FileSystemException {
    LocalPaths.checkNoFile(trust);
    return ClientConfig.of(target(), trust);
  }

  /// For a command that talks to a service: from here on gRPC is quiet.
  String target() throws UserErrorException {
    if (!HOST_AND_PORT.matcher(service).matches()
        || Integer.parseInt(service.substring(service.lastIndexOf(':') + 1)) > PORT_MAX) {
      throw new UserErrorException("--service " + service + " is not HOST:PORT");
    }
    GRPC.setLevel(Level.SEVERE);
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

  /// In this order; a key may be given once.
  static List<ClientKey> load(List<Path> files) throws IOException, UserErrorException {
    Map<Digest, Path> fileOf = new HashMap<>();
    List<ClientKey> keys = new ArrayList<>();
    for (Path file : files) {
      ClientKey key = ClientKey.load(file);
      Path same = fileOf.putIfAbsent(key.kid(), file);
      if (same != null) {
        throw new UserErrorException(
            "--key %s and --key %s are the same key; give each key once".formatted(same, file));
      }
      keys.add(key);
    }
    return keys;
  }
}
