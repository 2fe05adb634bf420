package io.tallystick.cli.journal;

import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.ProvenAppend;
import io.tallystick.client.Resent.Standing;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedBatch;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.journal.ClueRules;
import io.tallystick.journal.Limits;
import io.tallystick.model.Bytes;
import io.tallystick.model.RequestRejectedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Appends payloads and verifies their receipts.
@Command(
    name = "append",
    description = "Append text, files or standard input, and verify the receipts.",
    mixinStandardHelpOptions = true)
public final class AppendCommand implements Callable<Integer> {
  private static final String STANDARD_INPUT = "-";

  private static final String FILE_CONTENT_TYPE = "application/octet-stream";

  @Mixin private ServiceOptions service = new ServiceOptions();
  @Mixin private Output output = new Output();
  @Mixin private ProofFiles proofs = new ProofFiles();

  @Parameters(index = "0", arity = "0..1", paramLabel = "LEDGER", description = "Ledger id")
  private @Nullable String ledgerId;

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "FILE",
      description =
          "The payloads, one journal each, at most 1 MiB; - is standard input. Several are "
              + "signed as one batch")
  private List<String> files = List.of();

  @Option(names = "--text", description = "A payload given here; repeat the option for more")
  private List<String> texts = List.of();

  @Option(
      names = "--key",
      paramLabel = "FILE",
      description = "Your private key; repeat the option for co-signers")
  private List<Path> keys = List.of();

  @Option(
      names = "--content-type",
      paramLabel = "TYPE",
      description =
          "The content type of all payloads. Default: application/octet-stream, text/plain "
              + "for --text")
  private @Nullable String contentType;

  @Option(
      names = "--clue",
      paramLabel = "CLUE",
      description =
          "A clue that the journals name; its lineage lists them, proven complete. A clue "
              + "cannot be erased, so a clue for a person should be a pseudonym. Repeat the "
              + "option for more, up to 64")
  private List<String> clues = List.of();

  @Option(
      names = "--receipts",
      paramLabel = "DIR",
      description = "The folder to save each receipt in, as JSN.receipt; no file is overwritten")
  private @Nullable Path receipts;

  @Option(
      names = "--resend",
      paramLabel = "FILE",
      description =
          "Send again what a command, not only append, signed and left in FILE with exit status 8. "
              + "It is done once. LEDGER may be left out; --key signs only the token to read")
  private @Nullable Path resend;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    if (resend != null) {
      checkAlone();
      new Resending(service, output, resend).run(ledgerId, keys, receipts, proofs);
      return ExitCode.OK;
    }
    String id = ledgerId;
    if (id == null || keys.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(),
          id == null
              ? "Missing required parameter: 'LEDGER'"
              : "Missing required option: '--key=FILE'");
    }
    List<JournalDraft> drafts = drafts();
    try (TallyClient client = service.connect()) {
      LedgerHandle ledger = ServiceOptions.open(client, id, keys);
      SavedReceipts saved = SavedReceipts.in(receipts); // before anything is appended
      proofs.prepare(drafts.size());
      if (proofs.wanted()) {
        proven(ledger, drafts, saved);
      } else {
        List<Standing> journals = append(ledger, drafts).stream().map(Standing::of).toList();
        saved.print(journals, output);
        saved.save(journals);
      }
    }
    return ExitCode.OK;
  }

  private void checkAlone() throws UsageException {
    if (!files.isEmpty() || !texts.isEmpty() || !clues.isEmpty() || contentType != null) {
      throw new UsageException("--resend sends what FILE holds, and nothing else can be appended");
    }
  }

  private void proven(LedgerHandle ledger, List<JournalDraft> drafts, SavedReceipts saved)
      throws Exception {
    List<ProvenAppend> proven;
    try {
      proven = ledger.proofs().append(drafts);
    } catch (IllegalArgumentException e) {
      throw limit(e);
    }
    List<Standing> journals = proven.stream().map(each -> Standing.of(each.receipt())).toList();
    saved.print(journals, output);
    for (ProvenAppend each : proven) {
      proofs.save(each.receipt().jsn(), each.proof());
    }
    saved.save(journals);
  }

  private static List<VerifiedReceipt> append(LedgerHandle ledger, List<JournalDraft> drafts)
      throws Exception {
    try {
      if (drafts.size() == 1) {
        return List.of(ledger.append(drafts.getFirst()));
      }
      VerifiedBatch batch = ledger.appendBatch(drafts);
      return batch.receipts();
    } catch (IllegalArgumentException e) {
      // A content type too long, more drafts than a batch may have.
      throw limit(e);
    }
  }

  /// The SDK's limits are the user's.
  private static UsageException limit(IllegalArgumentException e) {
    return new UsageException(String.valueOf(e.getMessage()));
  }

  private List<JournalDraft> drafts() throws IOException, UsageException {
    if (Collections.frequency(files, STANDARD_INPUT) > 1) {
      throw new UsageException("- is standard input, which can be read once only");
    }
    try {
      ClueRules.check(clues);
      return readDrafts();
    } catch (RequestRejectedException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    } catch (IllegalArgumentException e) {
      // A content type with control characters.
      throw limit(e);
    }
  }

  private List<JournalDraft> readDrafts() throws IOException, UsageException {
    List<JournalDraft> drafts = new ArrayList<>();
    String type = contentType;
    for (String text : texts) {
      drafts.add(type == null ? JournalDraft.text(text) : JournalDraft.of(Bytes.utf8(text), type));
    }
    for (String file : files) {
      drafts.add(JournalDraft.of(Bytes.wrap(read(file)), type == null ? FILE_CONTENT_TYPE : type));
    }
    if (drafts.isEmpty()) {
      throw new UsageException("nothing to append: name files, - or --text");
    }
    return clues.isEmpty() ? drafts : drafts.stream().map(draft -> draft.withClues(clues)).toList();
  }

  private static byte[] read(String file) throws IOException {
    if (!file.equals(STANDARD_INPUT)) {
      LocalPaths.checkNoFolder(Path.of(file));
    }
    byte[] payload;
    try (InputStream in =
        file.equals(STANDARD_INPUT) ? System.in : Files.newInputStream(Path.of(file))) {
      payload = in.readNBytes(Limits.PAYLOAD_BYTES_MAX + 1);
    }
    if (payload.length > Limits.PAYLOAD_BYTES_MAX) {
      throw new IOException(
          file + " is longer than a payload may be, " + Limits.PAYLOAD_BYTES_MAX + " bytes");
    }
    return payload;
  }
}
