package io.tallystick.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.client.state.StateReading;
import io.tallystick.client.state.StateSpan;
import io.tallystick.model.Bytes;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what the client returns can be printed: text where it is short, never a whole large body,
/// and no secret. Method: everything that one ledger gives is printed, and looked at.
class PrintedTest {
  private static final int CHARACTERS_MAX = 1000;

  @TempDir private Path home;

  @Test
  void aBodyIsPrintedAsText() throws Exception {
    try (ServiceFixture fixture = new ServiceFixture(home)) {
      VerifiedReceipt receipt =
          fixture.ledger.append(
              JournalDraft.text("invoice 1:\t120.00 €\n").withClues(List.of("customer 17")));
      LedgerJournal journal = fixture.ledger.get(receipt.jsn().value());
      assertThat(journal.body().orElseThrow())
          .hasToString(
              "\"invoice 1:\\t120.00 €\\n\" (text/plain; charset=utf-8) clues [customer 17]");
      assertThat(journal.toString())
          .startsWith("LedgerJournal[jsn 2 at 20")
          .contains("APPEND, \"invoice 1:", "signed by [" + fixture.owner.kid());
      assertThat(receipt.toString())
          .startsWith("VerifiedReceipt[jsn 2 at 20")
          .contains("SignedHead[", " of 4 leaves, root ");
      assertThat(receipt.toFile().toString())
          .startsWith("ReceiptFile[Receipt[jsn 2 among 4 leaves], leaf hash ");
    }
  }

  @Test
  void whatIsLongOrNoTextIsCountedAndHashed() throws Exception {
    try (ServiceFixture fixture = new ServiceFixture(home)) {
      for (Bytes payload :
          List.of(
              Bytes.wrap(new byte[100_000]),
              Bytes.utf8("x".repeat(257)),
              Bytes.utf8("\u001b[2J"),
              Bytes.wrap(new byte[] {(byte) 0xff}))) {
        VerifiedReceipt receipt = fixture.ledger.append(JournalDraft.of(payload, "a/b"));
        assertThat(fixture.ledger.get(receipt.jsn()).body().orElseThrow().toString())
            .matches(payload.size() + " bytes, SHA-256 [0-9a-f]{64} \\(a/b\\)");
      }
    }
  }

  @Test
  void aStateIsPrintedWithItsKeysAndValues() throws Exception {
    try (ServiceFixture fixture = new ServiceFixture(home, LedgerOptions.DEFAULT.withState())) {
      LedgerState state = fixture.ledger.state();
      state.put("seat 12", "alice");
      StateReading reading = state.get("seat 12");
      assertThat(reading)
          .hasToString(
              "StateReading[\"seat 12\" = \"alice\" by journal 2 at height "
                  + reading.height()
                  + "]");
      assertThat(state.get("seat 13").toString()).startsWith("StateReading[\"seat 13\" = NONE at");
      assertThat(reading.answer())
          .hasToString(
              "Present[entry=StateEntry[\"seat 12\" has a value of 5 bytes by journal 2]]");
      assertThat(state.range(StateSpan.prefix(Bytes.utf8("seat"))).next())
          .singleElement()
          .hasToString("StateItem[\"seat 12\" = \"alice\" by journal 2]");
      assertThat(reading.block().toString()).startsWith("VerifiedBlock[height ").contains("sealed");
    }
  }

  @Test
  void nothingPrintedIsLongOrSecret() throws Exception {
    try (ServiceFixture fixture = new ServiceFixture(home, LedgerOptions.DEFAULT.withState())) {
      LedgerHandle ledger = fixture.ledger;
      VerifiedBatch batch =
          ledger.appendBatch(
              List.of(JournalDraft.of(Bytes.wrap(new byte[60_000]), ""), JournalDraft.text("b")));
      ClientKey key = fixture.owner;
      Path pem = home.resolve("owner.pem");
      key.save(pem);
      List<Object> printed =
          new ArrayList<>(
              List.of(
                  batch,
                  batch.receipt(0),
                  batch.rangeReceipt(),
                  batch.head(),
                  ledger,
                  ledger.get(2),
                  ledger.newestBlock(),
                  ledger.members(),
                  JournalDraft.of(Bytes.wrap(new byte[60_000]), ""),
                  ClientConfig.of("127.0.0.1:1", home).withReader(key),
                  key,
                  key.signer()));
      String secret = Files.readString(pem).replaceAll("-----.*-----|\\s", "");
      StringWriter all = new StringWriter();
      for (Object each : printed) {
        assertThat(each.toString()).hasSizeLessThan(CHARACTERS_MAX);
        all.append(each.toString());
      }
      assertThat(all.toString()).doesNotContain(secret, secret.substring(secret.length() - 20));
    }
  }

  @Test
  void aNegativeNumberIsNoJsn() throws Exception {
    try (ServiceFixture fixture = new ServiceFixture(home)) {
      assertThatThrownBy(() -> fixture.ledger.get(-1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("jsn -1 is negative");
    }
  }
}
