package io.tallystick.cli;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.server.host.LocalNode;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.keys.ServicePair;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Makes a pair of service keys.
@Command(
    name = "new",
    description = {
      "Make a note key and a receipt key in a service's data directory, and show their public halves.",
      "The service may run. It signs nothing with them until an owner rotates a ledger to them."
    },
    mixinStandardHelpOptions = true)
final class KeysNewCommand implements Callable<Integer> {
  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "./data",
      description = "The data directory of the service. Default: ${DEFAULT-VALUE}")
  private Path data = Path.of("");

  @Mixin private Output output = new Output();

  @Override
  public Integer call() throws Exception {
    ServicePair pair;
    try {
      pair = LocalNode.makeServiceKeys(data, SignatureProviders.best());
    } catch (ServiceKeysException e) {
      throw new IOException(e.getMessage(), e);
    }
    PublicKey note = pair.noteKey().publicKey();
    PublicKey receipt = pair.receiptKey().publicKey();
    output.print(
        "note key     kid  %s%n             SPKI %s%nreceipt key  kid  %s%n             SPKI %s"
            .formatted(note.kid(), note.spki().hex(), receipt.kid(), receipt.spki().hex()),
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
