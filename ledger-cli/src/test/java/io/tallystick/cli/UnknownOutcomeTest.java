package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.client.PendingRequest;
import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import io.tallystick.testkit.Waiting;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: whoever loses the answer to what he signed makes no second journal. Method: commands
/// through a proxy that cuts the connection, all at once since each tries for seconds; then what
/// they say is to be run.
class UnknownOutcomeTest {
  /// What a command left whose connection was cut.
  private record Left(Cli.Result said, Path file) {}

  private record Runs(
      Left append,
      Left put,
      Left add,
      Left found,
      Left neverArrived,
      Cli.Result unreached,
      Cli.Result proposed) {}

  @TempDir private static Path home;
  private static OwnedLedger owned;
  private static RunningService service;
  private static Cli cli;
  private static Path owner;
  private static Path member;
  private static String memberKid;
  private static String ledger;
  private static long sizeBefore;

  private static Left append;
  private static Left put;
  private static Left add;
  private static Left found;
  private static Left neverArrived;
  private static Cli.Result unreached;
  private static Path proposal;
  private static Cli.Result proposed;
  private static byte[] sent;

  @BeforeAll
  static void start() throws Exception {
    owned = OwnedLedger.found(home, "mine", "--state");
    service = owned.service();
    owner = owned.key();
    cli = owned.cli();
    ledger = owned.id();
    member = home.resolve("member.pem");
    JsonNode keys = Cli.run("keygen", member, "--json").json();
    memberKid = keys.get("kid").stringValue();
    String spki = keys.get("spki").stringValue();
    cli.call("member", "add", ledger, spki, "--key", owner).hasStatus(ExitCode.OK);
    proposal = home.resolve("add.proposal");
    Cli.run("propose", "add", ledger, spki("later.pem"), "--out", proposal).hasStatus(ExitCode.OK);
    Cli.run("sign", proposal, "--key", owner).hasStatus(ExitCode.OK);
    sizeBefore = size();
    Runs runs = runs(spki("new.pem"));
    append = runs.append;
    put = runs.put;
    add = runs.add;
    found = runs.found;
    neverArrived = runs.neverArrived;
    unreached = runs.unreached;
    proposed = runs.proposed;
    sent = Files.readAllBytes(append.file);
  }

  private static String spki(String name) {
    return Cli.run("keygen", home.resolve(name), "--json").json().get("spki").stringValue();
  }

  private static Runs runs(String further) throws Exception {
    CuttingProxy.At answer = CuttingProxy.At.ANSWER;
    try (ExecutorService each = Executors.newVirtualThreadPerTaskExecutor()) {
      Path at = pinned("a");
      Future<Left> one =
          each.submit(() -> cut(answer, 0, at, owner, "append", ledger, "--text", "once"));
      Path second = pinned("b");
      Future<Left> two =
          each.submit(() -> cut(answer, 0, second, owner, "state", "put", ledger, "k", "v"));
      Path third = pinned("c");
      Future<Left> three =
          each.submit(() -> cut(answer, 0, third, owner, "member", "add", ledger, further));
      Future<Left> four =
          each.submit(() -> cut(answer, 1, home.resolve("d"), owner, "ledger", "create", "lost"));
      Path fifth = pinned("e");
      CuttingProxy.At message = CuttingProxy.At.MESSAGE;
      Future<Left> five =
          each.submit(() -> cut(message, 0, fifth, member, "append", ledger, "--text", "never"));
      Path sixth = pinned("f");
      Future<Cli.Result> six =
          each.submit(() ->
              new Cli(nobody(), sixth.toString())
                  .call("append", ledger, "--text", "unsent", "--key", owner));
      Path seventh = pinned("g");
      Future<Cli.Result> seven =
          each.submit(() -> cutOff(answer, 0, seventh, "proposal", "put", proposal));
      return new Runs(
          one.get(), two.get(), three.get(), four.get(), five.get(), six.get(), seven.get());
    }
  }

  @AfterAll
  static void stop() {
    owned.close();
  }

  /// A trust directory that has the ledger, so that a command's first call is the one that counts.
  private static Path pinned(String name) {
    Path trust = home.resolve(name);
    new Cli(service.target(), trust.toString())
        .withReader(owner)
        .call("ledger", "show", ledger)
        .hasStatus(ExitCode.OK);
    return trust;
  }

  private static String nobody() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return "127.0.0.1:" + taken.getLocalPort();
    }
  }

  private static Left cut(
      CuttingProxy.At at, int callsBefore, Path trust, Path key, Object... command)
      throws Exception {
    List<Object> words = new ArrayList<>(List.of(command));
    words.addAll(List.of("--key", key));
    Cli.Result said = cutOff(at, callsBefore, trust, words.toArray());
    return new Left(said, Path.of(said.parsed().get("pending").stringValue()));
  }

  private static Cli.Result cutOff(
      CuttingProxy.At at, int callsBefore, Path trust, Object... command) throws Exception {
    String target = service.target();
    int port = Integer.parseInt(target.substring(target.lastIndexOf(':') + 1));
    try (CuttingProxy proxy = new CuttingProxy(port, at, callsBefore)) {
      List<Object> words = new ArrayList<>(List.of(command));
      words.add("--json");
      Cli.Result said =
          new Cli(proxy.target(), trust.toString())
              .call(words.toArray())
              .hasStatus(ExitCode.OUTCOME_UNKNOWN);
      assertThat(proxy.cuts()).isEqualTo(1);
      return said;
    }
  }

  private static long size() {
    return cli.call("ledger", "show", ledger, "--json").json().get("size").longValue();
  }

  /// The command that was printed, with the service itself in place of the proxy.
  private static Cli.Result resend(Left left, Object... further) {
    List<Object> words = new ArrayList<>();
    for (String word : left.said.parsed().get("resend").stringValue().split(" ", -1)) {
      words.add(word.startsWith("127.0.0.1:") ? service.target() : word);
    }
    assertThat(words.removeFirst()).isEqualTo("tally");
    words.addAll(List.of(further));
    return Cli.run(words.toArray());
  }

  @Test
  void whatWasSignedIsKeptForItsOwnerAlone() throws Exception {
    for (Left left : List.of(append, put, add, found, neverArrived)) {
      assertThat(left.said.err())
          .startsWith("tally: the outcome is unknown: ")
          .contains(left.said.parsed().get("resend").stringValue());
      assertThat(left.said.parsed().get("outcome").stringValue()).isEqualTo("unknown");
      assertThat(left.file.getFileName().toString()).matches("[0-9a-f]{64}\\.pending");
      if (Files.exists(left.file)) { // another test may have sent it
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(left.file)))
            .isEqualTo("rw-------");
      }
      Path folder = Objects.requireNonNull(left.file.getParent());
      assertThat(folder).endsWithRaw(Path.of("pending"));
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
          .isEqualTo("rwx------");
    }
  }

  /// Four journals, each with its seal, and a ledger. Another test may have added others.
  @Test
  void whatWasCommittedIsCommittedOnce() throws Exception {
    Waiting.until("all are committed", () -> size() >= sizeBefore + 8);
    long all = size();
    Path receipts = home.resolve("receipts");
    Set<Long> jsns = new HashSet<>();
    for (Left left : List.of(append, put, add)) {
      JsonNode journals =
          resend(left, "--receipts", receipts, "--proofs", receipts).json().get("journals");
      assertThat(journals.size()).isEqualTo(1);
      assertThat(journals.get(0).get("repeated").booleanValue()).isTrue();
      long jsn = journals.get(0).get("jsn").longValue();
      jsns.add(jsn);
      assertThat(receipts.resolve(jsn + ".receipt")).exists();
      assertThat(receipts.resolve(jsn + ".proof")).exists();
      assertThat(left.file).doesNotExist();
    }
    assertThat(jsns).hasSize(3);

    assertThat(proposed.parsed().get("outcome").stringValue()).isEqualTo("unknown");
    assertThat(proposed.parsed().has("pending")).isFalse();
    assertThat(proposed.err()).contains("The same command again does it once.");
    assertThat(cli.call("proposal", "put", proposal).hasStatus(ExitCode.OK).out())
        .contains("done at jsn ");
    assertThat(size()).isEqualTo(all);
    cli.call("state", "get", ledger, "k").hasStatus(ExitCode.OK);

    String lost = resend(found).json().get("ledgerId").stringValue();
    assertThat(found.file).doesNotExist();
    String list = cli.call("ledger", "list").hasStatus(ExitCode.OK).out();
    assertThat(list).containsOnlyOnce("lost").contains(lost);
  }

  /// The service knew no repeat and refuses it for good; the log shows that it is not there.
  @Test
  void whatNeverArrivedAndIsRefusedIsOver() {
    cli.call("member", "revoke", ledger, memberKid, "--key", owner).hasStatus(ExitCode.OK);
    Cli.Result refused = resend(neverArrived, "--reader-key", owner).hasStatus(ExitCode.REFUSED);
    assertThat(refused.err())
        .contains("It was not done; ", "refused (revoked_key): ", "it is not among the ");
    assertThat(neverArrived.file).doesNotExist();
  }

  @Test
  void whatWasNeverSentLeavesNothing() {
    assertThat(unreached.hasStatus(ExitCode.UNAVAILABLE).out()).isEmpty();
    assertThat(home.resolve("f").resolve("pending")).doesNotExist();
  }

  /// Another service knows nothing of it, so nothing is known.
  @Test
  void aFileIsKeptUntilTheOutcomeIsKnown() throws Exception {
    Path file = copied("kept");
    try (RunningService other =
        TallystickService.start(LocalNode::open, ServiceProperties.of(home.resolve("other"), 0))) {
      Cli elsewhere = new Cli(other.target(), home.resolve("a").toString()).withReader(owner);
      Cli.Result still =
          elsewhere.call("append", "--resend", file, "--json").hasStatus(ExitCode.OUTCOME_UNKNOWN);
      assertThat(still.parsed().get("pending").stringValue()).isEqualTo(file.toString());
      assertThat(still.err()).contains("unknown_ledger");
    }
    assertThat(PendingRequest.decode(Bytes.wrap(Files.readAllBytes(file)))).isNotNull();
  }

  private static Path copied(String name) throws Exception {
    return Files.write(home.resolve(name), sent);
  }

  @Test
  void whatIsNoPendingRequestOfTheLedgerIsRefused() throws Exception {
    Path file = copied("copy");
    String foreign = "0".repeat(64);
    assertThat(resendFile(file, foreign).hasStatus(ExitCode.USAGE).err())
        .contains("is of ledger " + ledger);
    Cli.Result both = cli.call("append", ledger, "--resend", file, "--text", "more");
    both.hasStatus(ExitCode.USAGE);
    assertThat(file).hasBinaryContent(sent);

    byte[] bent = sent.clone();
    bent[5] ^= 1; // of the ledger's id
    Path damaged = Files.write(home.resolve("damaged"), bent);
    assertThat(resendFile(damaged, ledger).hasStatus(ExitCode.FILE).err())
        .contains("is no pending request");
    assertThat(damaged).exists();
    bent = sent.clone();
    bent[bent.length - 1] ^= 1; // of a signature
    Path kept = home.resolve(Sha256.hash(sent).hex() + ".pending");
    Files.write(kept, bent);
    assertThat(resendFile(kept, ledger).hasStatus(ExitCode.FILE).err()).contains("damaged");
    assertThat(kept).hasBinaryContent(bent);
    Path key = Files.writeString(home.resolve("text"), "not one at all");
    resendFile(key, ledger).hasStatus(ExitCode.FILE);
    Path large = Files.write(home.resolve("large"), new byte[PendingRequest.BYTES_MAX + 1]);
    assertThat(resendFile(large, ledger).hasStatus(ExitCode.FILE).err()).contains("is longer than");
    resendFile(home.resolve("absent"), ledger).hasStatus(ExitCode.FILE);
    resendFile(home, ledger).hasStatus(ExitCode.FILE);
    Path pipe = home.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    assertThat(resendFile(pipe, ledger).hasStatus(ExitCode.FILE).err())
        .contains("is no plain file");
  }

  private static Cli.Result resendFile(Path file, String of) {
    return cli.call("append", of, "--resend", file);
  }

  @Test
  void anAppendNeedsALedgerAndAKey() {
    assertThat(cli.call("append", "--key", owner).hasStatus(ExitCode.USAGE).err())
        .contains("Missing required parameter: 'LEDGER'");
    assertThat(cli.call("append", ledger, "--text", "x").hasStatus(ExitCode.USAGE).err())
        .contains("Missing required option: '--key=FILE'");
  }
}
