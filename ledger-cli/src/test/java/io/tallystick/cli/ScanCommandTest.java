package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.api.v1.JournalEntry;
import io.tallystick.api.v1.ListJournalsResponse;
import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.journal.FoundJournals;
import io.tallystick.journal.JournalFilter;
import io.tallystick.journal.Kind;
import io.tallystick.model.Jsn;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: `tally list` finds journals by signer, kind and time, says that nothing proves them to be
/// all, and takes none that does not fit. Method: the command line and the SDK against a real
/// service, and against one that changes its answers.
class ScanCommandTest {
  @TempDir private static Path home;
  private static OwnedLedger owned;
  private static LyingService lying;
  private static Cli cli;
  private static Path clerk;
  private static String kid;
  private static String ledger;
  private static final List<Long> BY_CLERK = new ArrayList<>();

  @BeforeAll
  static void start() throws Exception {
    owned = OwnedLedger.found(home, "scanned");
    ledger = owned.id();
    lying = new LyingService(owned.service().target());
    cli = new Cli(lying.target(), home.resolve("trust").toString()).withReader(owned.key());
    clerk = home.resolve("clerk.pem");
    JsonNode made = Cli.run("keygen", clerk, "--json").json();
    kid = made.get("kid").stringValue();
    String spki = made.get("spki").stringValue();
    cli.call("member", "add", ledger, spki, "--key", owned.key()).hasStatus(0);
    for (int i = 0; i < 3; i++) {
      append("owner's " + i, owned.key());
      BY_CLERK.add(append("clerk's " + i, clerk));
    }
  }

  @AfterAll
  static void stop() {
    lying.close();
    owned.close();
  }

  @AfterEach
  void honest() {
    lying.lie = UnaryOperator.identity();
  }

  private static long append(String text, Path key) {
    return cli.call("append", ledger, "--text", text, "--key", key, "--json")
        .json()
        .get("journals")
        .get(0)
        .get("jsn")
        .longValue();
  }

  private static List<Long> found(Object... conditions) {
    List<Object> words = new ArrayList<>(List.of("list", ledger, "--json"));
    words.addAll(List.of(conditions));
    JsonNode answer = cli.call(words.toArray()).json();
    assertThat(answer.get("provenComplete").booleanValue()).isFalse();
    return answer.get("journals").valueStream().map(row -> row.get("jsn").longValue()).toList();
  }

  @Test
  void findsBySignerKindAndTime() {
    assertThat(found("--signer", kid)).isEqualTo(BY_CLERK);
    assertThat(found("--signer", kid, "--limit", 2)).isEqualTo(BY_CLERK.subList(0, 2));
    assertThat(found("--signer", kid, "--from", BY_CLERK.get(1))).isEqualTo(BY_CLERK.subList(1, 3));
    assertThat(found("--kind", "memberAdd")).hasSize(1);
    JsonNode third = cli.call("get", ledger, BY_CLERK.getLast(), "--json").json();
    long time = third.get("timeMs").longValue();
    assertThat(found("--signer", kid, "--from-time", time)).contains(BY_CLERK.getLast());
    assertThat(found("--to-time", "2020-01-01T00:00:00Z")).isEmpty();
    assertThat(found("--from-time", "2020-01-01T00:00:00Z", "--kind", "append")).hasSize(6);
    String text = cli.call("list", ledger, "--signer", kid, "--limit", 1).hasStatus(0).out();
    assertThat(text)
        .contains("clerk's 0", "nothing proves that it left none out.")
        .contains("more: --from " + (BY_CLERK.getFirst() + 1));
  }

  @Test
  void whatIsNoConditionIsSaid() {
    String[][] bad = {
      {"--signer", "ab", "--signer is no kid"},
      {"--kind", "seal", "--kind is none of append, clueDelete"},
      {"--from-time", "soon", "\"soon\" is no time"},
    };
    for (String[] each : bad) {
      assertThat(cli.call("list", ledger, each[0], each[1]).hasStatus(ExitCode.USAGE).err())
          .contains(each[2]);
    }
    assertThat(cli.call("list", ledger, "--from-time", 7, "--to-time", 7).hasStatus(2).err())
        .contains("no time is from 7 to before 7");
  }

  private static void lies(String why, UnaryOperator<ListJournalsResponse> lie) {
    lying.lieIn(ListJournalsResponse.class, lie);
    Cli.Result result = cli.call("list", ledger, "--signer", kid).hasStatus(ExitCode.EVIDENCE);
    assertThat(result.err()).contains("EVIDENCE DOES NOT VERIFY: " + why);
  }

  /// Of a service that ignores the conditions, or answers what another caller asked.
  @Test
  void whatDoesNotFitIsEvidence() throws Exception {
    String ownersKid =
        cli.call("get", ledger, 4, "--json").json().get("signers").get(0).stringValue();
    ListJournalsResponse[] others = new ListJournalsResponse[1];
    lying.lieIn(ListJournalsResponse.class, answer -> others[0] = answer);
    cli.call("list", ledger, "--signer", ownersKid).hasStatus(0);
    lies("LEAF_MISMATCH: journal ", answer -> others[0]);
    lies("WRONG_JSN", answer -> answer.toBuilder().addJournals(answer.getJournals(0)).build());
    lies("MISSING", answer -> answer.toBuilder().setScannedTo(answer.getSize() - 1).build());
    lies("MISSING", answer -> answer.toBuilder().setNextFromJsn(0).build());
    lies("SIZE_OUT_OF_RANGE", answer -> answer.toBuilder().clearScannedTo().build());
    lies("WRONG_SIZE", answer -> answer.toBuilder().setSize(2).build());
    JournalEntry first = others[0].getJournals(0);
    lies(
        "COMMITMENT_MISMATCH",
        answer ->
            answer.toBuilder()
                .setJournals(
                    0, answer.getJournals(0).toBuilder().setAttestation(first.getAttestation()))
                .build());
  }

  /// One call looks at 8,192 leaves: it finds nothing, and says where it goes on.
  @Test
  void aCallThatFindsNothingIsResumed() throws Exception {
    ClientKey key = ServiceOptions.load(List.of(owned.key())).getFirst();
    Path trust = home.resolve("scanner");
    try (TallyClient client =
        TallyClient.connect(ClientConfig.of(owned.service().target(), trust).withReader(key))) {
      LedgerHandle handle = client.createLedger("large", List.of(key), LedgerOptions.DEFAULT);
      List<JournalDraft> drafts =
          IntStream.range(0, 9_000).mapToObj(i -> JournalDraft.text("entry " + i)).toList();
      var _ = handle.appendBatch(drafts);
      handle.append(JournalDraft.text("x").withClues(List.of("gone")));
      long deleted = handle.deleteClue("gone").jsn().value();
      JournalFilter filter = JournalFilter.ALL.ofKind(Kind.CLUE_DELETE);
      FoundJournals none = handle.scan(filter, new Jsn(0), 10);
      assertThat(none.journals()).isEmpty();
      assertThat(none.scannedTo().value()).isEqualTo(8_192);
      FoundJournals one = handle.scan(filter, none.next().orElseThrow(), 10);
      assertThat(one.journals()).hasSize(1);
      assertThat(one.journals().getFirst().jsn().value()).isEqualTo(deleted);
      assertThat(one.next()).isEmpty();
      // Times are looked up, not scanned for.
      long time = one.journals().getFirst().timeMs();
      assertThat(handle.scan(filter.fromTime(time), new Jsn(0), 10).journals()).hasSize(1);
    }
  }
}
