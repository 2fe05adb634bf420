package io.tallystick.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.client.failure.TallyException;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.client.state.StateAtTime;
import io.tallystick.client.state.StateItem;
import io.tallystick.client.state.StateReading;
import io.tallystick.client.state.StateReadings;
import io.tallystick.client.state.StateSpan;
import io.tallystick.client.state.StateVersion;
import io.tallystick.client.state.StateVersions;
import io.tallystick.client.state.StateWalk;
import io.tallystick.client.state.StateWrite;
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

/// The samples of `docs/sdk.md`, run; and that the page shows exactly them.
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
  void theStateRunsAsThePageShows() throws TallyException {
    try (ServiceFixture fixture =
        new ServiceFixture(home.resolve("trust"), LedgerOptions.DEFAULT.withState())) {
      state(fixture.ledger);
      assertThat(fixture.ledger.state().get("seats of alice").text()).contains("12");
    }
  }

  private static void state(LedgerHandle ledger) throws TallyException {
    // begin state
    LedgerState state = ledger.state();
    state.put("seat 12", "free");
    state.write(
        StateWrite.put("seat 12", "alice").ifValue("free"),
        StateWrite.put("seats of alice", "12").ifAbsent());

    StateReading now = state.get("seat 12");
    System.out.println(now.text() + " by journal " + now.entry().orElseThrow().jsn());
    System.out.println(state.get("seat 12", now.height() - 1).text());
    StateAtTime then = state.get("seat 12", now.block().sealedAt());
    System.out.println(then.reading().text() + (then.isFinal() ? "" : ", not final"));
    StateReadings both = state.getAll("seat 12", "seat 13");
    System.out.println(both.of("seat 13").text());

    StateWalk seats = state.range(StateSpan.prefix(Bytes.utf8("seat ")));
    for (List<StateItem> page = seats.next(); !page.isEmpty(); page = seats.next()) {
      for (StateItem seat : page) {
        System.out.println(seat.key() + ": " + seat.text());
      }
    }

    StateVersions history = state.history("seat 12");
    while (history.hasNext()) {
      for (StateVersion version : history.next()) {
        System.out.println(version.time() + ": " + version.text().orElse("deleted"));
      }
    }
    System.out.println(history.completeness());
    // end state
  }

  @Test
  void isWhatThePageShows() throws IOException {
    Path root = Path.of("").toAbsolutePath();
    Path module = root.endsWith("client-sdk") ? root : root.resolve("client-sdk");
    String page = Files.readString(module.resolveSibling("docs").resolve("sdk.md"));
    String source =
        Files.readString(
            module.resolve("src/test/java/io/tallystick/client/QuickStartTest.java"),
            StandardCharsets.UTF_8);
    for (String name : List.of("quick start", "state")) {
      assertThat(page).contains(sample(source, name));
    }
  }

  private static String sample(String source, String name) {
    String begin = "// begin " + name + "\n";
    int end = source.indexOf("// end " + name + "\n");
    return source
        .substring(source.indexOf(begin) + begin.length(), source.lastIndexOf('\n', end))
        .stripTrailing()
        .stripIndent();
  }
}
