package io.tallystick.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.client.failure.TallyException;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The sample of `docs/sdk.md`, run; and that the page shows exactly it.
class QuickStartTest {
  @TempDir Path home;

  @Test
  void runsAsThePageShows() throws TallyException, IOException {
    try (FakeService service = new FakeService()) {
      quickStart(service.target(), home);
    }
    assertThat(home.resolve("invoice.receipt")).exists();
  }

  // begin quick start
  static void quickStart(String target, Path home) throws TallyException, IOException {
    ClientKey key = ClientKey.generate();
    key.save(home.resolve("owner.pem"));

    ClientConfig config = ClientConfig.of(target, home.resolve("trust"));
    LedgerId id;
    try (TallyClient client = TallyClient.connect(config)) {
      LedgerHandle ledger = client.createLedger("invoices", List.of(key), LedgerOptions.DEFAULT);
      id = ledger.id(); // tell it to whoever is to check this ledger

      VerifiedReceipt receipt = ledger.append(JournalDraft.text("invoice 1: 120.00"));
      Files.write(home.resolve("invoice.receipt"), receipt.toFile().encode().toArray());

      VerifiedBatch batch =
          ledger.appendBatch(
              List.of(JournalDraft.text("invoice 2: 9.90"), JournalDraft.text("invoice 3: 77.00")));
      System.out.println("journals up to " + batch.lastJsn() + " are committed and verified");

      LedgerJournal journal = ledger.get(receipt.jsn());
      System.out.println(journal.body() + ", signed by " + journal.signers());
    }

    // Later, elsewhere, without the service.
    ReceiptVerifier verifier = ReceiptVerifier.fromTrustStore(home.resolve("trust"), id);
    Bytes saved = Bytes.wrap(Files.readAllBytes(home.resolve("invoice.receipt")));
    SignedHead head = verifier.verify(saved);
    System.out.println("stands in the ledger of " + head.size() + " leaves");
  }

  // end quick start

  @Test
  void isWhatThePageShows() throws IOException {
    Path root = Path.of("").toAbsolutePath();
    Path module = root.endsWith("client-sdk") ? root : root.resolve("client-sdk");
    String source =
        Files.readString(
            module.resolve("src/test/java/io/tallystick/client/QuickStartTest.java"),
            StandardCharsets.UTF_8);
    String sample =
        source
            .substring(
                source.indexOf("// begin quick start\n") + "// begin quick start\n".length(),
                source.indexOf("  // end quick start"))
            .stripTrailing()
            .stripIndent();

    assertThat(Files.readString(module.resolveSibling("docs").resolve("sdk.md"))).contains(sample);
  }
}
