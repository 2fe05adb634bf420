package io.tallystick.cli;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.receipt.ReceiptFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Verifies the newest head against all that was trusted before, and saved receipts with it.
@Command(
    name = "verify",
    description =
        "Verify a ledger's newest head and saved receipts against all you trusted before.",
    mixinStandardHelpOptions = true)
final class VerifyCommand implements Callable<Integer> {
  private static final int RECEIPT_BYTES_MAX = 64 << 10;

  @Mixin private ServiceOptions service = new ServiceOptions();
  @Mixin private Output output = new Output();

  @Parameters(paramLabel = "LEDGER", description = "Ledger id")
  private String ledgerId = "";

  @Option(
      names = "--receipt",
      paramLabel = "FILE",
      description = "A saved receipt; repeat the option for more")
  private List<Path> receipts = List.of();

  @Override
  public Integer call() throws Exception {
    try (TallyClient client = service.connect()) {
      LedgerHandle ledger = ServiceOptions.open(client, ledgerId, List.of());
      Optional<SignedHead> before = ledger.trustedHead();
      SignedHead newest = ledger.checkpoint();
      for (Path file : receipts) {
        SignedHead head = verify(ledger, file);
        output.say("%s: in the log of %s leaves".formatted(file, head.size()));
      }
      String grown =
          before
              .map(
                  head -> "It extends the head of %s leaves trusted before.".formatted(head.size()))
              .orElse("It is the first head this user trusts.");
      output.print(
          "Newest head: %s leaves, root %s. %s"
              .formatted(newest.size(), newest.root().digest(), grown),
          Output.object(
              "size",
              newest.size().value(),
              "root",
              newest.root().digest().hex(),
              "receiptsVerified",
              receipts.size()));
    }
    return ExitCode.OK;
  }

  private static SignedHead verify(LedgerHandle ledger, Path file) throws Exception {
    LocalPaths.checkNoFolder(file);
    byte[] encoded;
    try (InputStream in = Files.newInputStream(file)) {
      encoded = in.readNBytes(RECEIPT_BYTES_MAX + 1);
    }
    if (encoded.length > RECEIPT_BYTES_MAX) {
      throw new IOException(
          "%s is longer than a receipt can be, %d bytes".formatted(file, RECEIPT_BYTES_MAX));
    }
    try {
      return ledger.verify(ReceiptFile.decode(Bytes.wrap(encoded)));
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, file + ": " + e.getMessage(), e);
    }
  }
}
