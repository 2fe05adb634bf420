package io.tallystick.cli.state;

import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.text.StateText;
import io.tallystick.client.ReceiptVerifier;
import io.tallystick.client.trust.ServiceTrust;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.durable.PlainFile;
import io.tallystick.head.SignedHead;
import io.tallystick.head.TrustRule;
import io.tallystick.journal.BodyState;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.state.StateFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// Verifies a saved reading, without the service.
@Command(
    name = "verify",
    description = {
      "Verify a file that get saved, without the service.",
      "The ledger's keys come from the trust directory."
    },
    mixinStandardHelpOptions = true)
final class StateVerifyCommand implements Callable<Integer> {
  @Mixin private ServiceOptions service = new ServiceOptions();
  @Mixin private Output output = new Output();

  @Parameters(index = "0", paramLabel = "LEDGER", description = "Ledger id")
  private String ledgerId = "";

  @Parameters(index = "1", paramLabel = "FILE", description = "The file that get saved")
  private Path file = Path.of("");

  @Override
  public Integer call() throws Exception {
    LedgerId ledger = ServiceOptions.ledgerId(ledgerId);
    Path trust = service.trust();
    Signatures signatures = SignatureProviders.best();
    ServiceTrust keys = ReceiptVerifier.fromTrustStore(trust, ledger).trust();
    StateFile.Verified shown = read().verify(keys.strand(), keys.keys(), signatures);
    Optional<SignedHead> trusted = TrustedLog.saved(trust, ledger, signatures);
    boolean isTrusted =
        trusted.isPresent()
            && TrustRule.missing(TrustRule.first(trusted.get()), shown.head()).isEmpty();
    print(shown, trusted, isTrusted);
    return ExitCode.OK;
  }

  private StateFile read() throws IOException, ProofRejectedException {
    LocalPaths.checkNoFolder(file);
    byte[] encoded;
    try (InputStream in = PlainFile.open(file)) {
      encoded = in.readNBytes(StateFile.BYTES_MAX + 1);
    }
    if (encoded.length > StateFile.BYTES_MAX) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%s is longer than a state file can be, %d bytes",
              file,
              StateFile.BYTES_MAX));
    }
    try {
      return StateFile.decode(Bytes.wrap(encoded));
    } catch (MalformedException e) {
      throw LocalPaths.wrongForm(file, "saved reading of a state", e);
    }
  }

  private void print(StateFile.Verified shown, Optional<SignedHead> trusted, boolean isTrusted) {
    StateAnswer answer = shown.answer();
    BodyState state = shown.value().isPresent() ? BodyState.PRESENT : BodyState.NONE;
    Map<String, Object> row = StateText.row(answer, state, shown.value());
    row.put("height", shown.height());
    row.put("headSize", shown.head().size().value());
    Instant sealed = Instant.ofEpochMilli(shown.seal().timeMs());
    row.put("sealed", sealed.toString());
    row.put("headTrusted", isTrusted);
    String writer =
        switch (answer) {
          case StateAnswer.Present present -> ", by journal " + present.entry().jsn();
          case StateAnswer.Deleted deleted -> ", by journal " + deleted.entry().jsn();
          case StateAnswer.Absent _ -> "";
        };
    String head =
        isTrusted
            ? "The head is the newest this user trusts."
            : trusted
                .map(known ->
                    String.format(
                        Locale.ROOT,
                        "It was not compared with the head of %s leaves that this user trusts.",
                        known.size()))
                .orElse("This user trusts no head yet.");
    output.print(
        String.format(
            Locale.ROOT,
            "%s: %s%s%nVerified: this is what it held as of block %d, sealed %s, under a signed head of %s leaves. %s",
            Printable.name(answer.key()),
            StateText.holds(answer, state, shown.value(), Optional.empty()),
            writer,
            shown.height(),
            sealed,
            shown.head().size(),
            head),
        row);
  }
}
