package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.lineage.ClueLineage;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.lineage.ClueState;
import io.tallystick.lineage.LineageEntry;
import io.tallystick.lineage.LineageFile;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.TreeSize;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: a clue's lineage is what was appended, as of any block, and says so when there is none or
/// it was deleted. Method: the command line and the SDK against a real service.
class LineageCommandTest {
  @TempDir private static Path home;
  private static OwnedLedger owned;
  private static Cli cli;
  private static Path key;
  private static String ledger;

  @BeforeAll
  static void start() throws Exception {
    owned = OwnedLedger.found(home, "lineage");
    key = owned.key();
    cli = owned.cli();
    ledger = owned.id();
  }

  @AfterAll
  static void stop() {
    owned.close();
  }

  private static long append(String text, String... clues) {
    List<Object> words = new ArrayList<>(List.of("append", ledger, "--key", key, "--json"));
    words.addAll(List.of("--text", text));
    for (String clue : clues) {
      words.addAll(List.of("--clue", clue));
    }
    return cli.call(words.toArray()).json().get("journals").get(0).get("jsn").longValue();
  }

  private static List<Long> lineage(Object... more) {
    List<Object> words = new ArrayList<>(List.of("lineage", ledger, "--json"));
    words.addAll(List.of(more));
    JsonNode answer = cli.call(words.toArray()).json();
    assertThat(answer.get("complete").booleanValue()).isTrue();
    return answer.get("journals").valueStream().map(row -> row.get("jsn").longValue()).toList();
  }

  @Test
  void listsExactlyTheJournalsOfAClueAsOfAnyBlock() {
    long first = append("made", "invoice 1", "customer 7");
    append("other", "invoice 2");
    long second = append("paid", "invoice 1");
    long after = append("unrelated");
    assertThat(lineage("invoice 1")).containsExactly(first, second);
    assertThat(lineage("invoice 1", "--verify")).containsExactly(first, second);
    assertThat(lineage("customer 7")).containsExactly(first);
    long height = heightOf(second) - 1;
    assertThat(lineage("invoice 1", "--as-of-block", height)).containsExactly(first);
    assertThat(lineage("invoice 1", "--as-of-block", heightOf(first) - 1)).isEmpty();
    assertThat(lineage("invoice 1", "--as-of-block", heightOf(after)))
        .containsExactly(first, second);
    Cli.Result text = cli.call("lineage", ledger, "invoice 1", "--verify").hasStatus(0);
    assertThat(text.out())
        .contains("made", "paid", "Verified: these 2 journals name \"invoice 1\"")
        .contains("and no other does.");
  }

  private static long heightOf(long jsn) {
    // One journal a block: block h holds jsn 2h and its seal.
    return jsn / 2;
  }

  @Test
  void provesThatAClueWasNeverUsed() {
    append("something", "used");
    Cli.Result none = cli.call("lineage", ledger, "never\u001b[2J used").hasStatus(0);
    assertThat(none.out())
        .startsWith("Verified: no journal among the log's first ")
        .doesNotContain("\u001b");
    assertThat(lineage("never used")).isEmpty();
  }

  @Test
  void aDeletedClueIsNotListedUntilItIsUsedAgain() throws Exception {
    long first = append("one", "short-lived");
    long deleted =
        cli.call("clue", "delete", ledger, "short-lived", "--key", key, "--json")
            .json()
            .get("jsn")
            .longValue();
    Cli.Result refused = cli.call("lineage", ledger, "short-lived").hasStatus(ExitCode.REFUSED);
    assertThat(refused.err()).contains("refused (clue_deleted): ", "by journal " + deleted);
    try (TallyClient client = client()) {
      LedgerHandle handle = client.open(io.tallystick.model.LedgerId.fromHex(ledger), owner());
      ClueState state = handle.clue("short-lived");
      assertThat(state.count()).isEqualTo(2);
      assertThat(((ClueState.Used) state).value().deletedJsn()).isEqualTo(deleted);
      assertThat(handle.membership("short-lived", new Jsn(first)).jsn()).isEqualTo(first);
    }
    cli.call("get", ledger, first).hasStatus(0);
    long again = append("two", "short-lived");
    assertThat(lineage("short-lived")).containsExactly(first, deleted, again);
  }

  /// In more pages than one, while others append.
  @Test
  void aLongLineageComesWhole() throws Exception {
    try (TallyClient client = client()) {
      LedgerHandle handle = client.createLedger("long", List.of(owner()), LedgerOptions.DEFAULT);
      List<Long> jsns = new ArrayList<>();
      for (int batch = 0; batch < 3; batch++) {
        List<JournalDraft> drafts =
            IntStream.range(0, 5000)
                .mapToObj(i -> JournalDraft.text("entry " + i).withClues(List.of("long")))
                .toList();
        handle.appendBatch(drafts).receipts().forEach(receipt -> jsns.add(receipt.jsn().value()));
      }
      Thread appending =
          Thread.ofPlatform()
              .start(() -> {
                for (int i = 0; i < 30; i++) {
                  try {
                    handle.append(JournalDraft.text("more").withClues(List.of("else")));
                  } catch (io.tallystick.client.failure.TallyException e) {
                    throw new IllegalStateException(e);
                  }
                }
              });
      ClueLineage lineage = handle.lineage("long");
      appending.join();
      assertThat(lineage.entries().stream().map(LineageEntry::jsn)).isEqualTo(jsns);
      TreeSize half = new TreeSize(jsns.get(7500));
      assertThat(handle.lineageAsOf("long", half).entries()).hasSize(7500);
    }
  }

  @Test
  void aSavedLineageVerifiesWithTheServicesKeysAlone() throws Exception {
    long first = append("kept", "evidence");
    Path file = home.resolve("evidence.lineage");
    cli.call("lineage", ledger, "evidence", "--save", file).hasStatus(0);
    Path absent = home.resolve("absent.lineage");
    cli.call("lineage", ledger, "no evidence", "--save", absent).hasStatus(0);
    assertThat(
            cli.call("lineage", ledger, "evidence", "--save", absent)
                .hasStatus(ExitCode.FILE)
                .err())
        .contains("absent.lineage exists and is not overwritten");
    try (TallyClient client = client()) {
      LedgerHandle handle = client.open(io.tallystick.model.LedgerId.fromHex(ledger), owner());
      LineageFile.Verified shown =
          LineageFile.decode(Bytes.wrap(Files.readAllBytes(file)))
              .verify(handle.trust().strand(), handle.trust().keys(), SignatureProviders.best());
      assertThat(shown.lineage().orElseThrow().isComplete()).isTrue();
      assertThat(shown.lineage().orElseThrow().entries().getFirst().jsn()).isEqualTo(first);
      LineageFile.Verified none =
          LineageFile.decode(Bytes.wrap(Files.readAllBytes(absent)))
              .verify(handle.trust().strand(), handle.trust().keys(), SignatureProviders.best());
      assertThat(none.state()).isInstanceOf(ClueState.NeverUsed.class);
    }
  }

  /// The keys of the trust directory, or the genesis alone; the log itself where a service is
  /// asked.
  @Test
  void verifyReadsASavedLineageAndComparesTheClue() throws Exception {
    long first = append("one", "saved");
    long second = append("two", "saved");
    Path file = home.resolve("saved.lineage");
    cli.call("lineage", ledger, "saved", "--save", file).hasStatus(0);
    Cli nowhere = new Cli("127.0.0.1:1", home.resolve("trust").toString());
    Cli.Result text =
        nowhere.call("verify", ledger, "--lineage", file, "--clue", "saved", "--offline");
    assertThat(text.hasStatus(0).out())
        .contains(
            "Verified: 2 journals among the first ",
            " name \"saved\", and no other of these leaves does.")
        .contains("The head is the newest this user trusts.", "no service was asked");
    Path genesis = home.resolve("trust").resolve(ledger).resolve("genesis");
    append("three", "saved");
    JsonNode shown =
        nowhere
            .call("verify", ledger, "--lineage", file, "--genesis", genesis, "--json")
            .json()
            .get("lineage");
    assertThat(shown.get("journals").valueStream().map(row -> row.get("jsn").longValue()))
        .containsExactly(first, second);
    assertThat(shown.get("complete").booleanValue()).isTrue();
    assertThat(shown.get("headTrusted").booleanValue()).isFalse();
    assertThat(cli.call("verify", ledger, "--lineage", file).hasStatus(0).out())
        .contains("name the clue of id ", "That head is one of the log's.");
    Object[] other = {"verify", ledger, "--lineage", file, "--clue", "else", "--offline"};
    assertThat(nowhere.call(other).hasStatus(ExitCode.EVIDENCE).err())
        .contains("EVIDENCE DOES NOT VERIFY: WRONG_CLUE", "\"else\" has the id ");
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - 5] ^= 1;
    Path changed = Files.write(home.resolve("changed.lineage"), bytes);
    Object[] twin = {"verify", ledger, "--lineage", changed, "--offline"};
    assertThat(nowhere.call(twin).hasStatus(ExitCode.EVIDENCE).err())
        .contains("EVIDENCE DOES NOT VERIFY: ", "changed.lineage: ");
    cli.call("verify", ledger, "--lineage", changed).hasStatus(ExitCode.EVIDENCE);
    nowhere.call("verify", ledger, "--lineage", genesis, "--offline").hasStatus(ExitCode.FILE);
    Object[] both = {"verify", ledger, "--lineage", file, "--jsn", "1"};
    assertThat(cli.call(both).hasStatus(ExitCode.USAGE).err()).contains("verified alone");
  }

  @Test
  void badCluesAreRefusedByName() {
    String[][] bad = {
      {"", "clue 0 is empty"},
      {"x".repeat(257), "clue 0 has 257 bytes, at most 256"},
    };
    for (String[] one : bad) {
      Cli.Result refused =
          cli.call("append", ledger, "--text", "t", "--clue", one[0], "--key", key);
      assertThat(refused.hasStatus(ExitCode.USAGE).err()).contains(one[1]);
    }
    Cli.Result twice =
        cli.call("append", ledger, "--text", "t", "--clue", "a", "--clue", "a", "--key", key);
    assertThat(twice.hasStatus(ExitCode.USAGE).err()).contains("clue 1 is there twice");
    List<Object> many = new ArrayList<>(List.of("append", ledger, "--text", "t", "--key", key));
    IntStream.range(0, 65).forEach(i -> many.addAll(List.of("--clue", "c" + i)));
    assertThat(cli.call(many.toArray()).hasStatus(ExitCode.USAGE).err())
        .contains("65 clues, at most 64");
  }

  @Test
  void anOwnerTurnsTheTrieOn() {
    String plain =
        cli.call("ledger", "create", "plain", "--without-clues", "--key", key, "--json")
            .json()
            .get("ledgerId")
            .stringValue();
    Object[] clued = {"append", plain, "--text", "t", "--clue", "a", "--key", key};
    assertThat(cli.call(clued).hasStatus(ExitCode.REFUSED).err())
        .contains("refused (feature_not_enabled): ", "not on in this ledger");
    assertThat(
            cli.call("clue", "enable", plain, "--from-block", 1, "--key", key)
                .hasStatus(ExitCode.REFUSED)
                .err())
        .contains("refused (parameters_invalid): ");
    cli.call("clue", "enable", plain, "--from-block", 2, "--key", key).hasStatus(0);
    cli.call(clued).hasStatus(0);
    assertThat(cli.call("lineage", plain, "a").hasStatus(0).out()).contains("this journal names");
    assertThat(cli.call("lineage", plain, "a", "--as-of-block", 99).hasStatus(3).err())
        .contains("refused (out_of_range): ");
    cli.call("audit", plain).hasStatus(0);
  }

  private static TallyClient client() {
    return TallyClient.connect(
        ClientConfig.of(owned.service().target(), home.resolve("sdk-trust")).withReader(owner()));
  }

  private static ClientKey owner() {
    try {
      return ServiceOptions.load(List.of(key)).getFirst();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
