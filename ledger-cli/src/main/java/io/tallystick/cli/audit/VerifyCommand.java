package io.tallystick.cli.audit;

import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.HeadText;
import io.tallystick.cli.text.SavedHeadText;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.ReceiptVerifier;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.receipt.ReceiptFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Verifies the newest head against all that was trusted before, and saved receipts with it.
@Command(
    name = "verify",
    description = {
      "Verify a ledger's newest head and saved files against all you trusted before.",
      "Offline it verifies what the service signed under the files, not that its heads are of one "
          + "log.",
      "With --proof and --payload it verifies who signed a document, with --jsn or --clue a journal "
          + "or a clue."
    },
    mixinStandardHelpOptions = true)
public final class VerifyCommand implements Callable<Integer> {
  private static final int RECEIPT_BYTES_MAX = 64 << 10;

  @Mixin private ReadOptions read = new ReadOptions();
  @Mixin private Output output = new Output();
  @Mixin private OfflineReceipts offline = new OfflineReceipts();
  @Mixin private ProofOptions proof = new ProofOptions();
  @Mixin private NamedJournals named = new NamedJournals();

  @Parameters(paramLabel = "LEDGER", description = "Ledger id")
  private String ledgerId = "";

  @Option(
      names = "--receipt",
      paramLabel = "FILE",
      description = "A saved receipt; repeat the option for more")
  private List<Path> receipts = List.of();

  @Mixin private SavedProofs saved = new SavedProofs();

  @Override
  public Integer call() throws Exception {
    saved.check();
    String clue = saved.clueAlone();
    if (named.wanted(clue)) {
      if (!receipts.isEmpty() || saved.areGiven() || offline.wanted() || proof.wanted()) {
        throw new UsageException("--jsn or --clue is verified alone, and with the service");
      }
      try (TallyClient client = read.connect()) {
        named.verify(read.open(client, ledgerId, List.of()), clue, output);
      }
      return ExitCode.OK;
    }
    if (proof.wanted()) {
      read.checkNoAge("--proof");
      if (!receipts.isEmpty() || saved.areGiven() || offline.named()) {
        throw new UsageException("--proof is verified alone: it holds the receipt and all keys");
      }
      proof.verify(ServiceOptions.ledgerId(ledgerId), read.service().trust(), output);
      return ExitCode.OK;
    }
    if (offline.wanted()) {
      read.checkNoAge("--offline");
      verifyOffline();
      return ExitCode.OK;
    }
    verifyOnline();
    return ExitCode.OK;
  }

  private void verifyOnline() throws Exception {
    try (TallyClient client = read.connect()) {
      LedgerHandle ledger = client.open(ServiceOptions.ledgerId(ledgerId));
      Optional<SignedHead> before = ledger.trustedHead();
      SignedHead newest = ledger.newestBlock().head();
      for (Path file : receipts) {
        SignedHead head = verify(ledger, file);
        output.say(
            String.format(
                Locale.ROOT, "%s: in the log of %s leaves", LocalPaths.shown(file), head.size()));
      }
      Map<String, Object> row =
          Output.object(
              "size",
              newest.size().value(),
              "root",
              newest.root().digest().hex(),
              "receiptsVerified",
              receipts.size());
      for (SavedProofs.Shown shown : saved.shown(ledger.id(), new SavedProofs.Joined(ledger))) {
        output.say(shown.text() + " That head is one of the log's.");
        row.put(shown.name(), shown.row());
      }
      String grown =
          before
              .map(head ->
                  String.format(
                      Locale.ROOT, "It extends the head of %s leaves trusted before.", head.size()))
              .orElse("It is the first head this user trusts.");
      HeadText.print(
          output,
          ledger,
          String.format(
              Locale.ROOT,
              "Newest head: %s leaves, root %s. %s",
              newest.size(),
              newest.root().digest(),
              grown),
          row);
    }
  }

  private void verifyOffline() throws Exception {
    if (receipts.isEmpty() && !saved.areGiven()) {
      throw new UsageException("without a service only files are verified; name one");
    }
    LedgerId ledger = ServiceOptions.ledgerId(ledgerId);
    ReceiptVerifier verifier = offline.verifier(read.service().trust(), ledger);
    List<Map<String, Object>> rows = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    for (Path file : receipts) {
      ReceiptFile receipt = receipt(file);
      SignedHead head = verified(verifier, receipt, file);
      long jsn = receipt.receipt().proof().index();
      text.append(
          String.format(
              Locale.ROOT,
              "%s: jsn %d, signed in a log of %s leaves%n",
              LocalPaths.shown(file),
              jsn,
              head.size()));
      rows.add(
          Output.object(
              "file",
              file.toString(),
              "jsn",
              jsn,
              "size",
              head.size().value(),
              "root",
              head.root().digest().hex()));
    }
    int rotations = verifier.trust().keys().terms().size() - 1;
    Map<String, Object> object = Output.object("receipts", rows, "rotations", rotations);
    for (SavedProofs.Shown shown : saved.shown(ledger, new SavedProofs.Alone(verifier))) {
      SavedHeadText trust =
          SavedHeadText.of(shown.head(), offline.trusted(read.service().trust(), ledger));
      text.append(String.format(Locale.ROOT, "%s %s%n", shown.text(), trust.sentence()));
      shown.row().put("headTrusted", trust.isTrusted());
      object.put(shown.name(), shown.row());
    }
    output.print(
        text
            + String.format(
                Locale.ROOT,
                "Signed by the service's keys, %s; no service was asked.",
                rotations == 0
                    ? "those of genesis"
                    : String.format(Locale.ROOT, "of genesis and %d rotations", rotations)),
        object);
  }

  private static SignedHead verified(ReceiptVerifier verifier, ReceiptFile receipt, Path file)
      throws VerificationException {
    try {
      return verifier.verify(receipt);
    } catch (VerificationException e) {
      throw OfflineReceipts.explained(e, file);
    }
  }

  private static SignedHead verify(LedgerHandle ledger, Path file) throws Exception {
    return ledger.verify(receipt(file));
  }

  private static ReceiptFile receipt(Path file) throws IOException, ProofRejectedException {
    Bytes encoded = OfflineReceipts.read(file, RECEIPT_BYTES_MAX);
    try {
      return ReceiptFile.decode(encoded);
    } catch (MalformedException e) {
      throw LocalPaths.wrongForm(file, "receipt", e);
    }
  }
}
