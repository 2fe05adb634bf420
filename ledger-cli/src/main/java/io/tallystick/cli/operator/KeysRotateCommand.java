package io.tallystick.cli.operator;

import io.tallystick.cli.option.GivenKeys;
import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Extension;
import io.tallystick.model.Digest;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Rotates the service's keys for one ledger.
@Command(
    name = "rotate",
    description = {
      "Rotate the service's keys for a ledger to a pair that `tally keys new` made.",
      "An owner signs; the service adds its signatures by the present receipt key and the new one."
          + " Heads above the rotation's block are signed by the new keys."
    },
    mixinStandardHelpOptions = true)
final class KeysRotateCommand implements Callable<Integer> {
  @Mixin private ServiceOptions service = new ServiceOptions();
  @Mixin private Output output = new Output();

  @Parameters(paramLabel = "LEDGER", description = "Ledger id")
  private String ledgerId = "";

  @Option(
      names = "--note-key",
      paramLabel = "SPKI",
      description = "The new note key, as `tally keys new` shows it. Default: the present one")
  private @Nullable String noteSpki;

  @Option(
      names = "--receipt-key",
      paramLabel = "SPKI",
      description = "The new receipt key, as `tally keys new` shows it. Default: the present one")
  private @Nullable String receiptSpki;

  @Option(
      names = "--key",
      required = true,
      paramLabel = "FILE",
      description = "An owner's key; repeat the option for co-signers")
  private List<Path> keys = List.of();

  @Override
  public Integer call() throws Exception {
    if (noteSpki == null && receiptSpki == null) {
      throw new UsageException("--note-key or --receipt-key is needed; see `tally keys new`");
    }
    try (TallyClient client = service.connect()) {
      LedgerHandle ledger = ServiceOptions.open(client, ledgerId, keys);
      ServiceKeys present = ledger.followKeys().keys();
      Extension.KeyRotation rotation =
          GivenKeys.rotation(
              noteSpki == null ? present.noteKey() : GivenKeys.publicKey(noteSpki),
              receiptSpki == null ? present.receiptKey() : GivenKeys.publicKey(receiptSpki));
      VerifiedReceipt done = ledger.rotateKeys(rotation);
      Digest note = rotation.noteKey().kid();
      Digest receipt = rotation.receiptKey().kid();
      long lastOld = done.jsn().value() + 2;
      output.print(
          String.format(
              Locale.ROOT,
              "Rotated at jsn %s; larger sizes than %d are signed by%nnote key     %s%nreceipt key  %s",
              done.jsn(),
              lastOld,
              note,
              receipt),
          Output.object(
              "jsn",
              done.jsn().value(),
              "lastOldSize",
              lastOld,
              "noteKid",
              note.hex(),
              "receiptKid",
              receipt.hex()));
    }
    return ExitCode.OK;
  }
}
