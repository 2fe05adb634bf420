package io.tallystick.cli;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
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
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Appends payloads and verifies their receipts.
@Command(
    name = "append",
    description = "Append text, files or standard input, and verify the receipts.",
    mixinStandardHelpOptions = true)
final class AppendCommand implements Callable<Integer> {
  private static final String STANDARD_INPUT = "-";

  private static final String FILE_CONTENT_TYPE = "application/octet-stream";

  @Mixin private ServiceOptions service = new ServiceOptions();
  @Mixin private Output output = new Output();

  @Parameters(index = "0", paramLabel = "LEDGER", description = "Ledger id")
  private String ledgerId = "";

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
      required = true,
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

  @Override
  public Integer call() throws Exception {
    List<JournalDraft> drafts = drafts();
    try (TallyClient client = service.connect()) {
      LedgerHandle ledger = ServiceOptions.open(client, ledgerId, keys);
      if (receipts != null) {
        makeFolder(receipts); // before anything is appended
      }
      List<VerifiedReceipt> verified = append(ledger, drafts);
      print(verified);
      save(verified);
    }
    return ExitCode.OK;
  }

  private static void makeFolder(Path folder) throws IOException {
    LocalPaths.checkNoFile(folder);
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw LocalPaths.notWritten(folder, e);
    }
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

  private void print(List<VerifiedReceipt> verified) {
    List<String> lines = new ArrayList<>();
    List<Map<String, Object>> rows = new ArrayList<>();
    for (VerifiedReceipt receipt : verified) {
      lines.add(
          String.format(
              Locale.ROOT,
              "jsn %s, verified under the head of %s leaves",
              receipt.jsn(),
              receipt.head().size()));
      rows.add(
          Output.object(
              "jsn",
              receipt.jsn().value(),
              "timeMs",
              receipt.timeMs(),
              "treeSize",
              receipt.head().size().value(),
              "repeated",
              receipt.repeated()));
    }
    output.print(String.join(System.lineSeparator(), lines), Output.object("journals", rows));
  }

  private void save(List<VerifiedReceipt> verified) throws IOException {
    Path directory = receipts;
    if (directory == null) {
      return;
    }
    for (VerifiedReceipt receipt : verified) {
      Path file = directory.resolve(receipt.jsn() + ".receipt");
      Files.write(file, receipt.toFile().encode().toArray(), StandardOpenOption.CREATE_NEW);
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
