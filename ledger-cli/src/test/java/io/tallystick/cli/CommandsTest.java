package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.model.Bytes;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import tools.jackson.databind.JsonNode;

/// Goal: every command does what it says against a real service, in words and in JSON, and its exit
/// status is the documented one when it cannot. Method: the command line in this process.
class CommandsTest {
  @TempDir private static Path home;
  private static RunningService service;
  private static Cli cli;
  private static Path key;
  private static String ledger;

  @BeforeAll
  static void start() throws Exception {
    service =
        TallystickService.start(LocalNode::open, ServiceProperties.of(home.resolve("data"), 0));
    key = home.resolve("owner.pem");
    Cli.run("keygen", key).hasStatus(0);
    cli = new Cli(service.target(), home.resolve("trust").toString()).withReader(key);
    JsonNode founded = cli.call("ledger", "create", "commands", "--key", key, "--json").json();
    ledger = founded.get("ledgerId").stringValue();
    assertThat(founded.get("origin").stringValue()).isEqualTo("localhost/l/" + ledger + "/0");
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  // ---- what works

  @Test
  void everyCommandExplainsItself() {
    assertThat(checkHelp(Tally.commandLine())).isGreaterThan(40);
    assertThat(Cli.run("--version").hasStatus(0).out()).startsWith("tally ");
  }

  /// @return how many commands there are below this one
  private static int checkHelp(CommandLine command) {
    int count = 0;
    for (CommandLine each : command.getSubcommands().values()) {
      String name = each.getCommandSpec().qualifiedName();
      Object[] words = (name.substring("tally ".length()) + " --help").split(" ");
      assertThat(Cli.run(words).hasStatus(0).out()).as(name).startsWith("Usage: " + name);
      count += 1 + checkHelp(each);
    }
    return count;
  }

  @Test
  void everySummaryIsOneWholeSentence() {
    checkSummaries(Tally.commandLine());
  }

  /// The list of a parent command shows the first paragraph of each description.
  private static void checkSummaries(CommandLine command) {
    String name = command.getCommandSpec().qualifiedName();
    assertThat(command.getCommandSpec().usageMessage().description()).as(name).isNotEmpty();
    assertThat(command.getCommandSpec().usageMessage().description()[0])
        .as(name)
        .hasSizeLessThan(100)
        .matches("[A-Z][^.]*\\.");
    assertThat(command.getCommandSpec().usageMessage().description())
        .as(name)
        .allMatch(paragraph -> paragraph.matches("(?s)[A-Z].*\\."));
    for (ArgSpec argument : command.getCommandSpec().args()) {
      assertThat(argument.description())
          .as(name + " " + argument)
          .hasSize(1)
          .allMatch(text -> text.matches("[A-Z-].*"));
    }
    command.getSubcommands().values().forEach(CommandsTest::checkSummaries);
  }

  @Test
  void foundsListsAndShowsALedger() {
    Path id = home.resolve("another.id");
    Object[] create = {"ledger", "create", "another", "--key", key, "--out", id};
    Cli.Result founded = cli.call(create).hasStatus(0);
    assertThat(founded.out()).contains("Founded \"another\"");
    assertThat(cli.call("ledger", "show", "@" + id).hasStatus(0).out()).contains("owner");
    assertThat(cli.call(create).hasStatus(ExitCode.FILE).err()).contains(id + " exists");
    assertThat(cli.call("ledger", "list").hasStatus(0).out()).contains(ledger, "commands");
    JsonNode listed = cli.call("ledger", "list", "--json").json().get("ledgers");
    assertThat(listed.valueStream().map(row -> row.get("ledgerId").stringValue())).contains(ledger);
    assertThat(cli.call("ledger", "show", ledger).hasStatus(0).out()).contains(ledger, "owner");
    JsonNode shown = cli.call("ledger", "show", ledger, "--json").json();
    assertThat(shown.get("root").stringValue()).matches("[0-9a-f]{64}");
    assertThat(shown.get("members").get(0).get("role").stringValue()).isEqualTo("owner");
  }

  @Test
  void addsListsAndRevokesMembers() {
    JsonNode made = Cli.run("keygen", home.resolve("member.pem"), "--json").json();
    String spki = made.get("spki").stringValue();
    String kid = made.get("kid").stringValue();
    JsonNode added =
        cli.call("member", "add", ledger, spki, "--role", "NORMAL", "--key", key, "--json").json();
    assertThat(added.get("kid").stringValue()).isEqualTo(kid);
    assertThat(cli.call("member", "list", ledger).hasStatus(0).out()).contains(kid + "  normal");
    cli.call("append", ledger, "--text", "mine", "--key", home.resolve("member.pem")).hasStatus(0);
    assertThat(cli.call("member", "revoke", ledger, kid, "--key", key).hasStatus(0).out())
        .contains("Revoked " + kid);
    JsonNode members = cli.call("member", "list", ledger, "--json").json().get("members");
    JsonNode member =
        members
            .valueStream()
            .filter(row -> row.get("kid").stringValue().equals(kid))
            .findFirst()
            .orElseThrow();
    assertThat(member.get("revokedJsn").longValue()).isGreaterThan(added.get("jsn").longValue());
    Cli.Result refused =
        cli.call("append", ledger, "--text", "mine", "--key", home.resolve("member.pem"));
    assertThat(refused.hasStatus(ExitCode.REFUSED).err()).contains("refused (revoked_key): ");
    cli.call("member", "add", ledger, spki, "--key", key).hasStatus(ExitCode.REFUSED);
    String reader =
        Cli.run("keygen", home.resolve("r2.pem"), "--json").json().get("spki").stringValue();
    cli.call("member", "add", ledger, reader, "--role", "readOnly", "--key", key).hasStatus(0);
    cli.call("member", "add", ledger, reader, "--role", "king", "--key", key)
        .hasStatus(ExitCode.USAGE);
  }

  /// A ledger of two owners from its first grant to its end, by commands alone.
  @Test
  void grantsExpiresReplacesMarksAndCloses() throws Exception {
    Path second = home.resolve("second.pem");
    Cli.run("keygen", second).hasStatus(0);
    String people =
        cli.call("ledger", "create", "people", "--key", key, "--key", second, "--json")
            .json()
            .get("ledgerId")
            .stringValue();
    Path agent = home.resolve("agent.pem");
    JsonNode agents = Cli.run("keygen", agent, "--json").json();
    String past = "2026-01-01T00:00:00Z";
    cli.call("member", "grant", people, spki(agents), "--until", past, "--delegated", "--key", key)
        .hasStatus(0);
    Cli.Result expired = cli.call("append", people, "--text", "late", "--key", agent);
    assertThat(expired.hasStatus(ExitCode.REFUSED).err())
        .contains("refused (revoked_key): ", "granted at 2 until");
    cli.call("member", "grant", people, spki(agents), "--key", key).hasStatus(ExitCode.REFUSED);
    cli.call("member", "grant", people, spki(agents), "--delegated", "--key", key).hasStatus(0);
    JsonNode appended =
        cli.call("append", people, "--text", "an agent's", "--key", agent, "--json").json();
    String jsn = appended.get("journals").get(0).get("jsn").asString();
    JsonNode read = cli.call("get", people, jsn, "--json").json();
    assertThat(read.get("delegated").booleanValue()).isTrue();
    cli.call("append", people, "--text", "one", "--text", "two", "--key", agent).hasStatus(0);

    Path next = home.resolve("next.pem");
    JsonNode nexts = Cli.run("keygen", next, "--json").json();
    cli.call("member", "grant", people, spki(nexts), "--until", "tomorrow", "--key", key)
        .hasStatus(ExitCode.USAGE);
    cli.call(
            "member",
            "grant",
            people,
            spki(nexts),
            "--replaces",
            kid(agents),
            "--key",
            key,
            "--key",
            agent)
        .hasStatus(0);
    cli.call("append", people, "--text", "no more", "--key", agent).hasStatus(ExitCode.REFUSED);
    cli.call("append", people, "--text", "instead", "--key", next).hasStatus(0);
    JsonNode row = member(people, kid(agents));
    assertThat(row.get("replacedBy").stringValue()).isEqualTo(kid(nexts));
    assertThat(row.get("delegated").booleanValue()).isTrue();
    assertThat(row.get("addedJsn").longValue()).isLessThan(row.get("grantedJsn").longValue());
    assertThat(cli.call("member", "list", people).hasStatus(0).out())
        .contains(kid(agents) + "  normal, delegated, revoked at", "replaced by " + kid(nexts));

    closes(people, second);
    assertThat(cli.call("get", people, jsn).hasStatus(0).out()).contains("an agent's");
    assertThat(cli.call("member", "list", people).hasStatus(0).out()).contains(kid(nexts));
  }

  private void closes(String people, Path second) {
    Cli.Result missing = cli.call("ledger", "close", people, "--key", key);
    assertThat(missing.hasStatus(ExitCode.REFUSED).err())
        .contains("refused (signatures_missing): ", "OWNER ");
    assertThat(
            cli.call("ledger", "close", people, "--key", key, "--key", second).hasStatus(0).out())
        .contains("Closed " + people);
    Cli.Result closed = cli.call("append", people, "--text", "after", "--key", key);
    assertThat(closed.hasStatus(ExitCode.REFUSED).err()).contains("refused (ledger_closed): ");
  }

  private static String spki(JsonNode made) {
    return made.get("spki").stringValue();
  }

  private static String kid(JsonNode made) {
    return made.get("kid").stringValue();
  }

  private static JsonNode member(String of, String kid) {
    return cli.call("member", "list", of, "--json")
        .json()
        .get("members")
        .valueStream()
        .filter(row -> kid(row).equals(kid))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void appendsReadsListsAndVerifies() throws Exception {
    Path file = Files.writeString(home.resolve("payload.txt"), "from a file");
    Path receipts = home.resolve("receipts");
    JsonNode appended =
        cli.call(
                "append",
                ledger,
                file,
                "--text",
                "given here",
                "--key",
                key,
                "--receipts",
                receipts,
                "--json")
            .json()
            .get("journals");
    assertThat(appended.size()).isEqualTo(2);
    long jsn = appended.get(0).get("jsn").longValue();
    assertThat(cli.call("append", ledger, "--text", "one", "--key", key).hasStatus(0).out())
        .contains("verified under the head of");
    assertThat(cli.call("get", ledger, jsn).hasStatus(0).out())
        .contains("given here", "signed by", "Verified");
    Path payload = home.resolve("read.txt");
    Path receipt = home.resolve("one.receipt");
    JsonNode read =
        cli.call("get", ledger, jsn + 1, "--payload", payload, "--receipt", receipt, "--json")
            .json();
    assertThat(payload).hasContent("from a file");
    assertThat(read.get("payloadHex").stringValue()).isEqualTo(Bytes.utf8("from a file").hex());
    assertThat(cli.call("list", ledger, "--limit", "2").hasStatus(0).out())
        .contains("genesis", "seal of block 0", "more: --from 2");
    JsonNode page = cli.call("list", ledger, "--from", jsn, "--json").json();
    assertThat(page.get("journals").get(0).get("jsn").longValue()).isEqualTo(jsn);
    JsonNode verified =
        cli.call(
                "verify",
                ledger,
                "--receipt",
                receipt,
                "--receipt",
                receipts.resolve(jsn + ".receipt"),
                "--json")
            .json();
    assertThat(verified.get("receiptsVerified").intValue()).isEqualTo(2);
    assertThat(cli.call("verify", ledger).hasStatus(0).out()).contains("It extends the head of");
  }

  @Test
  void auditsTheServiceAndASavedCopyAndRefusesATruncatedOne() throws Exception {
    assertThat(cli.call("audit", ledger).hasStatus(0).out()).containsIgnoringCase("pass");
    Path copy = home.resolve("log.copy");
    JsonNode saved = cli.call("audit", ledger, "--save", copy, "--json").json();
    assertThat(saved.get("audit").get("result").stringValue()).isEqualTo("passed");
    Cli nowhere = new Cli("127.0.0.1:1", home.resolve("nobody").toString());
    nowhere.call("audit", ledger, "--copy", copy).hasStatus(0);
    byte[] whole = Files.readAllBytes(copy);
    for (int length : new int[] {0, 7, 40, whole.length / 2, whole.length - 1}) {
      Path cut = Files.write(home.resolve("cut.copy"), Arrays.copyOf(whole, length));
      Cli.Result result = nowhere.call("audit", ledger, "--copy", cut);
      assertThat(result.status())
          .as("%d bytes: %s", length, result)
          .isEqualTo(length < 8 ? ExitCode.FILE : ExitCode.EVIDENCE); // without its magic: no copy
    }
    byte[] flipped = whole.clone();
    flipped[whole.length / 2] ^= 1;
    Path bad = Files.write(home.resolve("bad.copy"), flipped);
    nowhere.call("audit", ledger, "--copy", bad).hasStatus(ExitCode.EVIDENCE);
  }

  // ---- what does not

  /// A text's lines are lines, none of which can be taken for one of the command's own.
  @Test
  void showsTextsAsTheyAreAndNothingElseInTheirName() {
    assertThat(shown("hi\n")).contains("3 B hi\n").doesNotContain("\ufffd", "|");
    assertThat(shown("a\r\nb\n\nsigned by me"))
        .contains(" B a\n          | b\n          | \n          | signed by me\nsigned by ")
        .doesNotContain("\ufffd");
    assertThat(shown("a\u001b[31mb\u202ec\rd")).contains(" B a\ufffd[31mb\ufffdc\ufffdd\n");
    String text = "one\ntwo\nVerified: all of it\n";
    long jsn = appended(text);
    assertThat(cli.call("list", ledger, "--from", jsn, "--limit", "1").hasStatus(0).out())
        .contains(" B one⏎two⏎Verified: all of it\n")
        .doesNotContain("\ufffd");
  }

  private String shown(String text) {
    return cli.call("get", ledger, appended(text)).hasStatus(0).out();
  }

  private long appended(String text) {
    return cli.call("append", ledger, "--text", text, "--key", key, "--json")
        .json()
        .get("journals")
        .get(0)
        .get("jsn")
        .longValue();
  }

  @Test
  void refusesDamagedReceipts() throws Exception {
    Path receipt = home.resolve("damaged.receipt");
    cli.call("get", ledger, "1", "--receipt", receipt).hasStatus(0);
    byte[] whole = Files.readAllBytes(receipt);
    for (int at : new int[] {0, 20, whole.length / 2, whole.length - 1}) {
      byte[] bad = whole.clone();
      bad[at] ^= 1;
      Files.write(receipt, bad);
      Cli.Result result = cli.call("verify", ledger, "--receipt", receipt);
      // What is no receipt any more accuses nobody.
      assertThat(result.status()).as("byte %d", at).isIn(ExitCode.EVIDENCE, ExitCode.FILE);
      assertThat(result.err()).startsWith("tally: ");
    }
    Files.write(receipt, Arrays.copyOf(whole, whole.length / 2));
    cli.call("verify", ledger, "--receipt", receipt).hasStatus(ExitCode.FILE);
  }

  @Test
  void tellsWrongUsage() {
    Cli.run("nonsense").hasStatus(ExitCode.USAGE);
    Cli.run("keygen").hasStatus(ExitCode.USAGE);
    Cli.run("keygen", home.resolve("x.pem"), "--algorithm", "rsa").hasStatus(ExitCode.USAGE);
    cli.call("get", ledger, "minus").hasStatus(ExitCode.USAGE);
    cli.call("get", ledger, "--", "-1").hasStatus(ExitCode.USAGE);
    cli.call("get", "abc", "0").hasStatus(ExitCode.USAGE);
    cli.call("list", ledger, "--limit", "1001").hasStatus(ExitCode.USAGE);
    cli.call("ledger", "create", "n".repeat(129), "--key", key).hasStatus(ExitCode.USAGE);
    cli.call("ledger", "create", "twice", "--key", key, "--key", key).hasStatus(ExitCode.USAGE);
    cli.call("append", ledger, "--key", key).hasStatus(ExitCode.USAGE);
    cli.call("append", ledger, key, "--key", key, "--content-type", "t".repeat(256))
        .hasStatus(ExitCode.USAGE);
    cli.call("append", ledger, "--text", "no key").hasStatus(ExitCode.USAGE);
    cli.call("audit", ledger, "--threads", "0").hasStatus(ExitCode.USAGE);
    cli.call("member", "add", ledger, "00", "--key", key).hasStatus(ExitCode.USAGE);
    cli.call("member", "revoke", ledger, "00", "--key", key).hasStatus(ExitCode.USAGE);
    cli.call("append", ledger, "--text", "x", "--key", key, "--content-type", "t".repeat(256))
        .hasStatus(ExitCode.USAGE);
    cli.call("verify", ledger, "--receipt", "/dev/zero").hasStatus(ExitCode.FILE);
    cli.call("verify", ledger, "--receipt", home).hasStatus(ExitCode.FILE);
    new Cli("127.0.0.1:99999", home.resolve("none").toString())
        .call("ledger", "list")
        .hasStatus(ExitCode.USAGE);
    Cli.run("up", "--port", "70000").hasStatus(ExitCode.USAGE);
  }

  /// Of order 4, of order 1, not canonical. Any of them would make every later audit fail.
  @Test
  void refusesKeysThatNoVerifierMayAccept() {
    for (String point : new String[] {"00".repeat(32), "01" + "00".repeat(31), "ff".repeat(32)}) {
      Cli.Result result =
          cli.call("member", "add", ledger, "302a300506032b6570032100" + point, "--key", key);
      assertThat(result.hasStatus(ExitCode.REFUSED).err()).contains("refused (key_not_allowed): ");
    }
  }

  @Test
  void tellsWhatTheServiceRefuses() {
    String nobody = "00".repeat(32);
    assertThat(cli.call("ledger", "show", nobody).hasStatus(ExitCode.REFUSED).err())
        .startsWith("tally: refused (token_invalid): ");
    Cli stranger = new Cli(cli.service(), home.resolve("stranger").toString());
    assertThat(stranger.call("ledger", "show", ledger).hasStatus(ExitCode.REFUSED).err())
        .startsWith("tally: refused (token_required): ");
    cli.call("get", ledger, "1000000").hasStatus(ExitCode.REFUSED);
    cli.call("audit", nobody).hasStatus(ExitCode.REFUSED);
  }

  @Test
  void tellsThatNobodyIsThere() {
    Cli nowhere = new Cli("127.0.0.1:1", home.resolve("nobody").toString());
    for (String command : new String[] {"ledger list", "audit " + ledger}) {
      Cli.Result result = nowhere.call((Object[]) command.split(" "));
      assertThat(result.hasStatus(ExitCode.UNAVAILABLE).err()).startsWith("tally: ");
      assertThat(result.err().strip().lines().count()).as(result.err()).isEqualTo(1);
    }
  }

  @Test
  void tellsWhatIsWrongWithALocalFile() throws Exception {
    Path missing = home.resolve("missing");
    cli.call("append", ledger, missing, "--key", key).hasStatus(ExitCode.FILE);
    cli.call("append", ledger, "--text", "x", "--key", missing).hasStatus(ExitCode.FILE);
    cli.call("verify", ledger, "--receipt", missing).hasStatus(ExitCode.FILE);
    cli.call("audit", ledger, "--copy", missing).hasStatus(ExitCode.FILE);
    assertThat(Cli.run("demo", missing).hasStatus(ExitCode.FILE).err())
        .isEqualTo("tally: " + missing + " does not exist\n");
    byte[] before = Files.readAllBytes(key);
    assertThat(Cli.run("keygen", key).hasStatus(ExitCode.FILE).err())
        .isEqualTo("tally: " + key + " exists and is not overwritten\n");
    assertThat(key).hasBinaryContent(before);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
        .isEqualTo("rw-------");
    Path open = home.resolve("open.pem");
    Files.write(open, before);
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(
            cli.call("append", ledger, "--text", "x", "--key", open).hasStatus(ExitCode.FILE).err())
        .contains("is open to others");
    Path garbled = Files.writeString(home.resolve("garbled.pem"), "no key");
    Files.setPosixFilePermissions(garbled, PosixFilePermissions.fromString("rw-------"));
    cli.call("append", ledger, "--text", "x", "--key", garbled).hasStatus(ExitCode.FILE);
    Path large = Files.write(home.resolve("large"), new byte[(1 << 20) + 1]);
    cli.call("append", ledger, large, "--key", key).hasStatus(ExitCode.FILE);
    assertThat(cli.call("append", ledger, home, "--key", key).hasStatus(ExitCode.FILE).err())
        .isEqualTo("tally: " + home + ": is a folder, want a file\n");
    Path kept = Files.writeString(home.resolve("kept.copy"), "an older copy");
    assertThat(cli.call("audit", ledger, "--save", kept).hasStatus(ExitCode.FILE).err())
        .isEqualTo("tally: " + kept + " exists and is not overwritten\n");
    assertThat(kept).hasContent("an older copy");
  }

  @Test
  void namesTheFileOfATrustDirectoryThatIsGoneOrDamaged() throws Exception {
    Path trust = home.resolve("robbed-trust");
    Cli user = new Cli(cli.service(), trust.toString()).withReader(key);
    user.call("verify", ledger).hasStatus(0);
    Path head = trust.resolve(ledger).resolve("head-0");
    Path genesis = trust.resolve(ledger).resolve("genesis");
    byte[] kept = Files.readAllBytes(head);
    Files.delete(head);
    for (String command : new String[] {"verify", "audit", "list"}) {
      assertThat(user.call(command, ledger).hasStatus(ExitCode.FILE).err())
          .startsWith("tally: " + head + " is missing")
          .hasLineCount(1);
    }
    Files.write(head, kept);
    byte[] params = Files.readAllBytes(genesis);
    params[9] ^= 1;
    Files.write(genesis, params);
    for (String command : new String[] {"verify", "audit", "list"}) {
      assertThat(user.call(command, ledger).hasStatus(ExitCode.FILE).err())
          .startsWith("tally: " + genesis + " is damaged")
          .hasLineCount(1);
    }
  }

  @Test
  void tellsThatATrustedHeadIsDamagedHoweverLongItIs() throws Exception {
    Path trust = home.resolve("damaged-trust");
    Cli user = new Cli(cli.service(), trust.toString()).withReader(key);
    user.call("verify", ledger).hasStatus(0);
    Path head = trust.resolve(ledger).resolve("head-0");
    byte[] whole = Files.readAllBytes(head);
    for (int length : new int[] {0, whole.length - 1, 65_537, 3 << 20}) {
      Files.write(head, Arrays.copyOf(whole, length));
      Cli.Result result = user.call("verify", ledger).hasStatus(ExitCode.FILE);
      assertThat(result.err()).as("%d bytes", length).startsWith("tally: ").contains("damaged");
      assertThat(result.err().strip().lines().count()).as(result.err()).isEqualTo(1);
    }
  }
}
