package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.tallystick.api.v1.BodyState;
import io.tallystick.api.v1.JournalEntry;
import io.tallystick.api.v1.ListJournalsResponse;
import io.tallystick.api.v1.OpenProposal;
import io.tallystick.api.v1.StateHistory;
import io.tallystick.api.v1.StateOfKey;
import io.tallystick.api.v1.StatePage;
import io.tallystick.api.v1.TrustedAnchor;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what a service only says is not printed as a fact: that a body or a value was erased, that
/// a proposal is a journal, that an anchor is shared; and what it calls damaged is evidence.
/// Method: the command line against a service that changes a real one's answers.
class ServersWordTest {
  @TempDir private static Path home;
  private static RunningService service;
  private static LyingService lying;
  private static Cli cli;
  private static Path ada;
  private static Path rex;
  private static String ledger = "";

  @BeforeAll
  static void start() throws Exception {
    service =
        TallystickService.start(LocalNode::open, ServiceProperties.of(home.resolve("data"), 0));
    lying = new LyingService(service.target());
    ada = home.resolve("ada.pem");
    rex = home.resolve("rex.pem");
    Cli.run("keygen", ada).hasStatus(0);
    String spki = Cli.run("keygen", rex, "--json").json().get("spki").stringValue();
    cli = new Cli(lying.target(), home.resolve("trust").toString()).withReader(ada);
    ledger =
        cli.call("ledger", "create", "doubted", "--state", "--key", ada, "--json")
            .json()
            .get("ledgerId")
            .stringValue();
    cli.call("member", "add", ledger, spki, "--role", "regulator", "--key", ada).hasStatus(0);
  }

  @AfterAll
  static void stop() {
    lying.close();
    service.close();
  }

  private static long put(String key) {
    return cli.call("state", "put", ledger, key, "value", "--key", ada, "--json")
        .json()
        .get("jsn")
        .longValue();
  }

  private static void saying(BodyState state) {
    UnaryOperator<JournalEntry> journal =
        entry ->
            entry.getBodyState() == BodyState.BODY_PRESENT
                ? entry.toBuilder().setBodyState(state).clearBody().clearSalt().build()
                : entry;
    UnaryOperator<StateOfKey> value =
        entry -> entry.toBuilder().setValueState(state).clearValue().build();
    lying.lie =
        answer ->
            switch (answer) {
              case JournalEntry entry -> journal.apply(entry);
              case StateOfKey entry -> value.apply(entry);
              case ListJournalsResponse list -> {
                var said = list.toBuilder();
                for (int i = 0; i < said.getJournalsCount(); i++) {
                  said.setJournals(i, journal.apply(list.getJournals(i)));
                }
                yield said.build();
              }
              case StatePage page -> {
                var said = page.toBuilder();
                said.getValuesBuilderList().forEach(one -> one.setValueState(state).clearValue());
                yield said.build();
              }
              case StateHistory history -> {
                var said = history.toBuilder();
                said.getVersionsBuilder(0).setValueState(state).clearValue();
                yield said.build();
              }
              default -> answer;
            };
  }

  private static void honest() {
    lying.lie = UnaryOperator.identity();
  }

  private static Object[][] reads(long jsn, String key) {
    return new Object[][] {
      {"get", ledger, jsn},
      {"get", ledger, jsn, "--payload", home.resolve("payload")},
      {"list", ledger, "--from", jsn},
      {"state", "get", ledger, key},
      {"state", "get", ledger, key, "--raw"},
      {"state", "range", ledger, "--prefix", key},
      {"state", "history", ledger, key},
    };
  }

  @Test
  void erasedWithoutARemovalAndDamagedAreEvidence() {
    long jsn = put("withheld");
    for (BodyState state : new BodyState[] {BodyState.BODY_ERASED, BodyState.BODY_DAMAGED}) {
      saying(state);
      for (Object[] read : reads(jsn, "withheld")) {
        Cli.Result result = cli.call(read).hasStatus(ExitCode.EVIDENCE);
        assertThat(result.out() + result.err())
            .contains(state == BodyState.BODY_ERASED ? "no removal of it is shown" : "amaged")
            .doesNotContain("erased by");
      }
      honest();
    }
    for (Object[] read : reads(jsn, "withheld")) {
      if (!read[read.length - 1].equals("--raw")) { // which writes past the test
        cli.call(read).hasStatus(0);
      }
    }
  }

  @Test
  void erasedIsShownWithTheRemoval() {
    long jsn = put("forgotten");
    Path file = home.resolve("erase.proposal");
    cli.call("propose", "occult", ledger, "--jsn", jsn, "--basis", "a court", "--out", file)
        .hasStatus(0);
    Cli.run("sign", file, "--key", ada).hasStatus(0);
    Cli.run("sign", file, "--key", rex).hasStatus(0);
    long occult = cli.call("submit", file, "--json").json().get("jsn").longValue();
    String by = "erased by occult " + occult;
    assertThat(cli.call("state", "get", ledger, "forgotten").hasStatus(0).out())
        .contains("5 B " + by, "a court", "Verified: this occult stands in the log");
    assertThat(
            cli.call("state", "get", ledger, "forgotten", "--json")
                .json()
                .get("erasure")
                .get("jsn")
                .longValue())
        .isEqualTo(occult);
    for (Object[] read : reads(jsn, "forgotten")) {
      boolean wantsBytes = List.of(read).contains("--payload") || List.of(read).contains("--raw");
      Cli.Result result = cli.call(read).hasStatus(wantsBytes ? ExitCode.REFUSED : 0);
      if (!wantsBytes && !read[0].equals("get")) {
        assertThat(result.out()).contains(by);
      }
    }
  }

  private static Path signed(String name, String... change) {
    Path file = home.resolve(name);
    Object[] words = new Object[change.length + 3];
    words[0] = "propose";
    System.arraycopy(change, 0, words, 1, change.length);
    words[change.length + 1] = "--out";
    words[change.length + 2] = file;
    Cli.run(words).hasStatus(0);
    Cli.run("sign", file, "--key", ada).hasStatus(0);
    return file;
  }

  @Test
  void aProposalIsDoneWhereItsJournalStands() {
    String spki =
        Cli.run("keygen", home.resolve("bo.pem"), "--json").json().get("spki").stringValue();
    Path file = signed("add.proposal", "add", ledger, spki);
    String hash = Cli.run("sign", file, "--json").json().get("requestHash").stringValue();
    for (long wrong : new long[] {put("beside it"), 1, 50_000}) {
      lying.lieIn(OpenProposal.class, status -> status.toBuilder().setJsn(wrong).build());
      Cli.Result result = cli.call("proposal", "put", file).hasStatus(ExitCode.EVIDENCE);
      assertThat(result.err()).contains("is said to be journal " + wrong);
      assertThat(result.out()).doesNotContain("done");
      cli.call("proposal", "get", ledger, hash).hasStatus(ExitCode.EVIDENCE);
    }
    honest();
    assertThat(cli.call("proposal", "get", ledger, hash).hasStatus(0).out())
        .contains("done at jsn ");
  }

  @Test
  void anAnchorIsSharedOnceItIsGivenBack() {
    cli.call("append", ledger, "--text", "before the anchor", "--key", ada).hasStatus(0);
    lying.lieIn(
        TrustedAnchor.class, anchor -> anchor.toBuilder().setAnchor(ByteString.EMPTY).build());
    Cli.Result result =
        cli.call("anchor", "share", ledger, "--key", ada).hasStatus(ExitCode.EVIDENCE);
    assertThat(result.out()).doesNotContain("shared");
    honest();
    assertThat(cli.call("anchor", "share", ledger, "--key", ada).hasStatus(0).out())
        .contains("Anchor shared: size ");
  }

  @Test
  void aNewMemberIsToldWhatItMay() {
    for (String[] one : new String[][] {{"readOnly", "read"}, {"verifyOnly", "verify"}}) {
      String spki =
          Cli.run("keygen", home.resolve(one[0]), "--json").json().get("spki").stringValue();
      assertThat(
              cli.call("member", "add", ledger, spki, "--role", one[0], "--key", ada)
                  .hasStatus(0)
                  .out())
          .contains("it may " + one[1] + " from");
    }
  }
}
