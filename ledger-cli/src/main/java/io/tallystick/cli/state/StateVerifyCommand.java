package io.tallystick.cli.state;

import io.tallystick.cli.option.SavedState;
import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.SavedHeadText;
import io.tallystick.cli.text.SavedStateText;
import io.tallystick.client.ReceiptVerifier;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.head.SignedHead;
import io.tallystick.model.LedgerId;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.state.LookupFile;
import io.tallystick.state.RangeFile;
import io.tallystick.state.StateFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// Verifies a saved reading or range, without the service.
@Command(
    name = "verify",
    description = {
      "Verify a file that get or range saved, without the service.",
      "The ledger's keys come from the trust directory. `tally verify --state` takes them from "
          + "files, and compares keys and range."
    },
    mixinStandardHelpOptions = true)
final class StateVerifyCommand implements Callable<Integer> {
  @Mixin private ServiceOptions service = new ServiceOptions();
  @Mixin private Output output = new Output();

  @Parameters(index = "0", paramLabel = "LEDGER", description = "Ledger id")
  private String ledgerId = "";

  @Parameters(index = "1", paramLabel = "FILE", description = "The file that get or range saved")
  private Path file = Path.of("");

  @Override
  public Integer call() throws Exception {
    LedgerId ledger = ServiceOptions.ledgerId(ledgerId);
    ReceiptVerifier keys = ReceiptVerifier.fromTrustStore(service.trust(), ledger);
    switch (SavedState.read(file)) {
      case SavedState.Reading(StateFile saved) -> {
        StateFile.Verified shown = keys.verify(saved);
        print(ledger, shown.head(), SavedStateText.text(shown), SavedStateText.row(shown));
      }
      case SavedState.Several(LookupFile saved) -> {
        LookupFile.Verified shown = keys.verify(saved);
        print(ledger, shown.head(), SavedStateText.text(shown), SavedStateText.row(shown));
      }
      case SavedState.Range(RangeFile saved) -> {
        RangeFile.Verified shown = keys.verify(saved);
        print(ledger, shown.head(), SavedStateText.text(shown), SavedStateText.row(shown));
      }
    }
    return ExitCode.OK;
  }

  private void print(LedgerId ledger, SignedHead head, String text, Map<String, Object> row)
      throws ProofRejectedException, TallyException, UsageException, IOException {
    SavedHeadText trust =
        SavedHeadText.of(
            head, TrustedLog.saved(service.trust(), ledger, SignatureProviders.best()));
    row.put("headTrusted", trust.isTrusted());
    output.print(text + " " + trust.sentence(), row);
  }
}
