package io.tallystick.cli.operator;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.server.host.LocalNode;
import io.tallystick.server.keys.ServiceKeyStore;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.keys.ServicePair;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Makes a pair of service keys.
@Command(
    name = "new",
    description = {
      "Make a note key and a receipt key for a service, and show their public halves.",
      "The service may run. It signs nothing with them until an owner rotates a ledger to them."
    },
    mixinStandardHelpOptions = true)
final class KeysNewCommand implements Callable<Integer> {
  @ArgGroup private Where where = new Where();

  /// One of them.
  static final class Where {
    @Option(
        names = "--data",
        paramLabel = "DIR",
        description =
            "The data directory of the service (environment: TALLY_DATA). Default: ./data")
    private Path data = Path.of(System.getenv().getOrDefault("TALLY_DATA", "./data"));

    @Option(
        names = "--keys",
        paramLabel = "DIR",
        description =
            "The folder with keys that the service is given by its option --keys; made if it does "
                + "not exist. A folder without keys gets the first pair")
    private @Nullable Path keys;

    private ServicePair make() throws IOException, ServiceKeysException {
      Signatures signatures = SignatureProviders.best();
      if (keys == null) {
        return LocalNode.makeServiceKeys(data, signatures);
      }
      return ServiceKeyStore.holdsPair(keys)
          ? ServiceKeyStore.makePair(keys, signatures)
          : ServiceKeyStore.makeFirstPair(keys, signatures);
    }
  }

  @Mixin private Output output = new Output();

  @Override
  public Integer call() throws Exception {
    ServicePair pair;
    try {
      pair = where.make();
    } catch (ServiceKeysException e) {
      throw new IOException(e.getMessage(), e);
    }
    PublicKey note = pair.noteKey().publicKey();
    PublicKey receipt = pair.receiptKey().publicKey();
    output.print(
        String.format(
            Locale.ROOT,
            "note key     kid  %s%n             SPKI %s%nreceipt key  kid  %s%n             SPKI %s",
            note.kid(),
            note.spki().hex(),
            receipt.kid(),
            receipt.spki().hex()),
        Output.object(
            "noteKid",
            note.kid().hex(),
            "noteSpki",
            note.spki().hex(),
            "receiptKid",
            receipt.kid().hex(),
            "receiptSpki",
            receipt.spki().hex()));
    return ExitCode.OK;
  }
}
