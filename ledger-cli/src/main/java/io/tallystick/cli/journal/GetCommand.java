package io.tallystick.cli.journal;

import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.ErasureText;
import io.tallystick.cli.text.HeadText;
import io.tallystick.cli.text.JournalText;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.journal.ErasedBody;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.durable.PrivateFile;
import io.tallystick.evidence.JournalProof;
import io.tallystick.journal.Body;
import io.tallystick.journal.BodyState;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.RejectionCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Reads one journal and verifies all of it.
@Command(
    name = "get",
    description = "Read one journal and verify its place in the log, its signatures and its body.",
    mixinStandardHelpOptions = true)
public final class GetCommand implements Callable<Integer> {
  @Mixin private ReadOptions read = new ReadOptions();
  @Mixin private Output output = new Output();

  @Parameters(index = "0", paramLabel = "LEDGER", description = "Ledger id")
  private String ledgerId = "";

  @Parameters(index = "1", paramLabel = "JSN", description = "The journal number, from 0")
  private long jsn;

  @Option(
      names = "--payload",
      paramLabel = "FILE",
      description = "The file to write the payload to")
  private @Nullable Path payload;

  @Option(
      names = "--receipt",
      paramLabel = "FILE",
      description = "The file to write the journal's receipt to")
  private @Nullable Path receipt;

  @Option(
      names = "--proof",
      paramLabel = "FILE",
      description =
          "The file to write the journal's proof to. It holds the salt: keep it as secret as the "
              + "payload")
  private @Nullable Path proof;

  @Override
  public Integer call() throws Exception {
    if (jsn < 0) {
      throw new UsageException("jsn " + jsn + " is negative");
    }
    LocalPaths.checkNoFolder(payload);
    LocalPaths.checkNoFolder(receipt);
    LocalPaths.checkNoFolder(proof);
    try (TallyClient client = read.connect()) {
      LedgerHandle ledger = read.open(client, ledgerId, List.of());
      return show(ledger);
    }
  }

  private int show(LedgerHandle ledger) throws Exception {
    LedgerJournal journal;
    try {
      journal = ledger.get(new Jsn(jsn));
    } catch (RequestRefusedException e) {
      if (!e.code().equals(RejectionCode.PURGED.wire())) {
        throw e;
      }
      return printRemoved(ledger, ledger.erasure(new Jsn(jsn)).orElseThrow(() -> e));
    }
    if (receipt != null) {
      Files.write(receipt, ledger.receipt(new Jsn(jsn)).encode().toArray());
    }
    if (journal.bodyState() == BodyState.ERASED) {
      return printErased(ledger, journal, ledger.removals().shownErasure(new Jsn(jsn)));
    }
    if (journal.bodyState() == BodyState.DAMAGED) {
      HeadText.print(
          output,
          ledger,
          text(journal) + System.lineSeparator() + JournalText.damage(1, "body").orElseThrow(),
          JournalText.row(journal));
      return ExitCode.EVIDENCE;
    }
    writePayload(journal.body());
    writeProof(ledger, journal);
    HeadText.print(output, ledger, text(journal), JournalText.row(journal));
    return ExitCode.OK;
  }

  /// @return 3: there is no journal to show
  private int printRemoved(LedgerHandle ledger, ErasedBody removed) throws TallyException {
    HeadText.print(
        output,
        ledger,
        String.format(
            Locale.ROOT,
            "%8d  removed, with its header and its signatures%n%s",
            jsn,
            ErasureText.lines(removed)),
        Output.object("jsn", jsn, "bodyStatus", "removed", "erasure", ErasureText.row(removed)));
    refuseProof(ledger);
    return ExitCode.REFUSED;
  }

  /// @return 3 if the payload or a proof was asked for, which cannot be given
  private int printErased(LedgerHandle ledger, LedgerJournal journal, ErasedBody erased)
      throws TallyException {
    Map<String, Object> row = JournalText.row(journal);
    row.put("erasure", ErasureText.row(erased));
    HeadText.print(
        output, ledger, text(journal) + System.lineSeparator() + ErasureText.lines(erased), row);
    refuseProof(ledger);
    return payload == null ? ExitCode.OK : ExitCode.REFUSED;
  }

  /// Says why no proof of what is gone can be made.
  private void refuseProof(LedgerHandle ledger) throws TallyException {
    if (proof != null) {
      JournalProof _ = ledger.proofs().of(new Jsn(jsn));
    }
  }

  private void writePayload(Optional<Body> body) throws Exception {
    Path file = payload;
    if (file != null) {
      Body held = body.orElseThrow(() -> new UsageException("journal " + jsn + " has no body"));
      Files.write(file, held.payload().toArray());
    }
  }

  private void writeProof(LedgerHandle ledger, LedgerJournal journal) throws Exception {
    Path file = proof;
    if (file == null) {
      return;
    }
    if (journal.bodyState() == BodyState.NONE) {
      throw new UsageException("journal " + jsn + " has no body to prove");
    }
    PrivateFile.replace(file, ledger.proofs().of(new Jsn(jsn)).encode().toArray());
  }

  private static String text(LedgerJournal journal) {
    String signers = journal.signers().stream().map(Digest::hex).collect(Collectors.joining(", "));
    return JournalText.lines(journal)
        + System.lineSeparator()
        + (signers.isEmpty() ? "" : "signed by " + signers + System.lineSeparator())
        + "Verified: stands at this jsn under a head this user trusts.";
  }
}
