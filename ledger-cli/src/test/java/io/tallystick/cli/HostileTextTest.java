package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import io.tallystick.api.v1.Problem;
import io.tallystick.certificate.CertificateChain;
import io.tallystick.client.ClientKey;
import io.tallystick.model.Printable;
import io.tallystick.proxy.MembersProperties;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import io.tallystick.testkit.TestAuthority;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// Goal: no text from outside controls the terminal of who runs a command, most of all of who is
/// about to sign. Method: every command that there is, over a ledger, files and arguments with such
/// text in each field that takes it, against an honest service, one that puts it into every string
/// it answers, and one that refuses with it. A new command fails until it is here.
class HostileTextTest {
  private static final String HOSTILE =
      "a\u001b[2A\u009b31m\u007f\u0007\b\u202e\u2066\u200b\ufeff\u2028b\r\nFORGED";

  /// For names of files, in whatever encoding this system has them.
  private static final String HOSTILE_NAME = "a\u001b[2A\b\nFORGED";

  private static final TestAuthority CA = TestAuthority.root("root");
  private static final Problem REFUSAL =
      Problem.newBuilder().setCode("x" + HOSTILE).setDetail(HOSTILE).setHttpStatus(409).build();

  @TempDir private static Path home;
  private static RunningService service;
  private static LyingService lying;
  private static Cli cli;
  private static Path ada;
  private static Path missing;
  private static Path there;
  private static Path proposal;
  private static String ledger = "";
  private static String other = "";
  private static String kid = "";
  private static String hash = "";
  private static String secret = "";
  private static String gone = "";
  private static final Map<String, List<Object[]>> CALLS = new HashMap<>();

  @BeforeAll
  static void fill() throws Exception {
    Path ca = Files.writeString(home.resolve("ca.pem"), CA.rootPem());
    service =
        TallystickService.start(
            LocalNode::open,
            ServiceProperties.of(home.resolve("data"), 0)
                .withMembers(new MembersProperties(List.of(ca.toString()))));
    lying = new LyingService(service.target());
    ada = home.resolve("ada.pem");
    Path rex = home.resolve("rex.pem");
    kid = Cli.run("keygen", ada, "--json").json().get("kid").stringValue();
    String regulator = Cli.run("keygen", rex, "--json").json().get("spki").stringValue();
    cli = new Cli(lying.target(), home.resolve("trust").toString()).withReader(ada);
    missing = home.resolve(HOSTILE_NAME + " missing");
    there = Files.writeString(home.resolve(HOSTILE_NAME), HOSTILE);
    ledger = founded("first");
    other = founded("second");
    cli.call("member", "add", ledger, regulator, "--role", "regulator", "--key", ada).hasStatus(0);
    grant(rex);
    secret = jsn("append", ledger, "--text", HOSTILE, "--clue", "c", "--key", ada);
    gone = jsn("append", ledger, "--text", HOSTILE, "--clue", HOSTILE, "--key", ada);
    cli.call("state", "put", ledger, HOSTILE, HOSTILE, "--key", ada).hasStatus(0);
    occult(gone, home.resolve("gone"));
    for (Path signer : List.of(ada, rex)) {
      Cli.run("sign", home.resolve("gone"), "--key", signer).hasStatus(0);
    }
    cli.call("submit", home.resolve("gone")).hasStatus(0);
    proposal = home.resolve("proposal");
    occult(secret, proposal);
    Cli.run("sign", proposal, "--key", ada).hasStatus(0);
    hash = Cli.run("sign", proposal, "--json").json().get("requestHash").stringValue();
    cli.call("proposal", "put", proposal).hasStatus(0);
    local();
    served();
    proven();
  }

  @AfterAll
  static void stop() {
    lying.close();
    service.close();
  }

  private static String founded(String name) {
    return cli.call("ledger", "create", name, "--state", "--key", ada, "--json")
        .json()
        .get("ledgerId")
        .stringValue();
  }

  private static void grant(Path file) throws Exception {
    ClientKey member = ClientKey.load(file);
    CertificateChain chain = CA.chain(HOSTILE, member.publicKey());
    Path pem = Files.writeString(home.resolve("rex.certificate"), chain.pem());
    String spki = member.publicKey().spki().hex();
    cli.call(
            "member",
            "grant",
            ledger,
            spki,
            "--role",
            "regulator",
            "--key",
            ada,
            "--certificate",
            pem)
        .hasStatus(0);
  }

  private static String jsn(Object... words) {
    List<Object> all = new ArrayList<>(List.of(words));
    all.add("--json");
    return cli.call(all.toArray()).json().get("journals").get(0).get("jsn").toString();
  }

  private static void occult(String jsn, Path file) {
    String basis = HOSTILE.repeat(2);
    assertThat(basis.getBytes(StandardCharsets.UTF_8).length).isLessThan(128);
    cli.call("propose", "occult", ledger, "--jsn", jsn, "--basis", basis, "--out", file)
        .hasStatus(0);
  }

  /// @param command its name, then what it is called with
  private static void call(String command, Object... words) {
    List<Object> all = new ArrayList<>(List.of((Object[]) command.split(" ", -1)));
    all.addAll(List.of(words));
    CALLS.computeIfAbsent(command, _ -> new ArrayList<>()).add(all.toArray());
  }

  /// Commands that need no service, or start one: with names and files that they refuse.
  private static void local() {
    call("up", "--data", there);
    call("up", "--data", home.resolve("none"), "--authority", HOSTILE);
    call("backup", missing, "--data", missing);
    call("restore", there, "--data", home.resolve("restored"));
    call("rebuild", "clue", "--data", missing);
    call("rebuild", "--index", "state", "--as-of", 0, "--out", missing, "--data", there);
    call("prune", "--data", there);
    call("writable", HOSTILE, "--data", missing);
    call("writable", ledger, "--data", there);
    call("health", "--data", home.resolve("data"), "--management-address", HOSTILE);
    call("demo", missing);
    call("train", HOSTILE);
    call("help", HOSTILE);
    call("keygen", there);
    call("keygen", home.resolve(HOSTILE_NAME + " key"));
    call("keys", "--secret", HOSTILE);
    call("keys new", "--data", missing);
    call("keys new", "--keys", there);
    call("token", "--key", there, HOSTILE);
    call("token", "--key", ada, "--authority", HOSTILE);
    call("invite", "--key", ada, "--authority", HOSTILE, "--for", HOSTILE);
    call("propose add", ledger, HOSTILE, "--out", missing);
    call("propose revoke", ledger, HOSTILE, "--out", missing);
    call("propose grant", ledger, HOSTILE, "--until", HOSTILE, "--out", missing);
    call("propose clues", HOSTILE, "--from-block", 3, "--out", missing);
    call("propose rotate", ledger, "--note-key", HOSTILE, "--out", missing);
    call("propose close", ledger, "--out", there);
    call("propose close", ledger, "--out", home.resolve(HOSTILE_NAME + " close"));
    call("sign", proposal);
    call("sign", there);
    call("sign", proposal, "--key", there);
    for (String kind : List.of("fork", "misdated", "attestation", "seal", "omitted")) {
      Object[] files = kind.equals("fork") || kind.equals("omitted") ? two() : one();
      call("evidence " + kind, files);
    }
    call("evidence check", ledger, there, "--genesis", there);
    call("evidence check", ledger, missing, "--log", there);
  }

  private static Object[] one() {
    return new Object[] {ledger, there, "--genesis", there, "--time", there, "--out", missing};
  }

  private static Object[] two() {
    return new Object[] {ledger, there, there, "--genesis", there, "--out", missing};
  }

  private static void served() {
    call("ledger create", HOSTILE, "--key", ada);
    call("ledger create", "third", "--key", ada, "--out", home.resolve(HOSTILE_NAME + " id"));
    call("ledger list");
    call("ledger list", "--authority", HOSTILE);
    call("ledger show", ledger);
    call("ledger close", other, "--key", there);
    call("member add", ledger, HOSTILE, "--key", ada);
    call("member revoke", ledger, HOSTILE, "--key", ada);
    call("member grant", ledger, "00", "--until", HOSTILE, "--key", ada);
    call("member certificate", ledger, kid);
    call("member certificate", ledger, "--show", home.resolve("rex.certificate"), "--key", ada);
    call("member list", ledger);
    call("propose occult", ledger, "--jsn", secret, "--basis", HOSTILE, "--out", missing);
    call("propose occult", ledger, "--clue", HOSTILE, "--from", 0, "--to", 1, "--out", missing);
    call("submit", proposal);
    call("submit", there);
    call("proposal put", proposal);
    call("proposal list", ledger);
    call("proposal get", ledger, hash);
    call("proposal withdraw", ledger, HOSTILE);
    call("append", ledger, "--text", "t", "--content-type", HOSTILE, "--key", ada);
    call("append", ledger, missing, "--key", ada);
    call("get", ledger, secret);
    call("get", ledger, gone);
    call("get", ledger, secret, "--payload", home);
    call("list", ledger);
    call("lineage", ledger, HOSTILE, "--verify");
    call("clue delete", ledger, HOSTILE, "--key", ada);
    call("clue enable", ledger, "--from-block", 3, "--key", ada);
    call("state get", ledger, HOSTILE);
    call("state get", ledger, HOSTILE, "--rebuilt", missing);
    call("state put", ledger, HOSTILE, HOSTILE, "--if-value", HOSTILE + "x", "--key", ada);
    call("state delete", ledger, HOSTILE + "y", "--if-version", 1, "--key", ada);
    call("state range", ledger);
    call("state range", ledger, "--rebuilt", home);
    call("state history", ledger, HOSTILE);
    call("state verify", ledger, there);
    call("anchor set", ledger);
    call("anchor share", ledger, "--key", ada);
    call("anchor get", ledger, "--out", there);
    call("anchor list", ledger);
    call("audit", ledger);
    call("audit", ledger, "--tiles", there);
    call("audit", ledger, "--compare", missing);
    call("audit", ledger, "--log", there);
    call("audit", HOSTILE);
    call("certificate", ledger, gone);
    call("certificate", ledger, "--verify", there);
    call("purge prepare", ledger, "--height", 1, "--out", missing);
    call("purge sign", there, "--key", ada);
    call("purge recall", ledger, "--purge", 1, "--out", missing);
    call("purge submit", there);
    call("export", ledger, there);
    call("export", ledger, home.resolve(HOSTILE_NAME + " export"));
    times();
    call("keys rotate", ledger, "--note-key", HOSTILE, "--key", ada);
    call("keys chain", ledger, "--out", there);
  }

  private static void times() {
    call("time export", ledger, there);
    call("time last", ledger);
    call("time request", ledger);
  }

  private static void proven() {
    call("verify", ledger);
    call("verify", ledger, "--receipt", there);
    call("append", ledger, "--text", "t", "--proof", there, "--key", ada);
    call("get", ledger, secret, "--proof", home.resolve(HOSTILE_NAME + " proof"));
    call("get", ledger, gone, "--proof", missing);
    call("verify", ledger, "--proof", there, "--payload", missing);
    call("verify", ledger, "--proof", home.resolve(HOSTILE_NAME + " proof"), "--payload", there);
    call("verify", ledger, "--jsn", secret, "--data", there);
    call("verify", ledger, "--jsn", gone, "--data", there);
    call("verify", ledger, "--clue", HOSTILE);
    call("verify", ledger, "--clue", HOSTILE, "--data", there);
  }

  /// In every string of an answer, but for what the client compares with what it has.
  private static Message poisoned(Message answer) {
    Message.Builder builder = answer.toBuilder();
    for (FieldDescriptor field : answer.getDescriptorForType().getFields()) {
      if (field.getJavaType() == JavaType.STRING && !field.isRepeated()) {
        builder.setField(field, answer.getField(field) + HOSTILE);
      } else if (field.getJavaType() == JavaType.MESSAGE && field.isRepeated()) {
        for (int i = 0; i < answer.getRepeatedFieldCount(field); i++) {
          builder.setRepeatedField(field, i, poisoned((Message) answer.getRepeatedField(field, i)));
        }
      } else if (field.getJavaType() == JavaType.MESSAGE && answer.hasField(field)) {
        builder.setField(field, poisoned((Message) answer.getField(field)));
      }
    }
    return builder.build();
  }

  private static Map<String, CommandLine> commands() {
    Map<String, CommandLine> all = new HashMap<>();
    add("", Tally.commandLine(), all);
    return all;
  }

  private static void add(String name, CommandLine line, Map<String, CommandLine> all) {
    if (line.getCommand() instanceof Callable<?>) {
      all.put(name.strip(), line);
    }
    line.getSubcommands().forEach((word, below) -> add(name + " " + word, below, all));
  }

  private static void check(String how, Object[] words, CommandLine command) {
    boolean served = command.getCommandSpec().findOption("--service") != null;
    Cli.Result result = served ? cli.call(words) : Cli.run(words);
    String printed = result.out() + result.err();
    String what = how + ": " + List.of(words);
    assertThat(printed).as(what).isNotEmpty().isEqualTo(Printable.lines(printed));
    assertThat(printed.lines()).as(what).noneMatch(line -> line.startsWith("FORGED"));
    assertThat(result.status()).as("%s: %s", what, printed).isNotEqualTo(1);
  }

  @Test
  void everyCommandIsCalled() {
    assertThat(new TreeSet<>(CALLS.keySet())).isEqualTo(new TreeSet<>(commands().keySet()));
  }

  @Test
  void nothingFromOutsideControlsTheTerminal() {
    commands()
        .forEach((name, command) -> {
          boolean json = command.getCommandSpec().findOption("--json") != null;
          for (Object[] words : CALLS.getOrDefault(name, List.of())) {
            check("honest", words, command);
            if (json) {
              List<Object> all = new ArrayList<>(List.of(words));
              all.add("--json");
              check("json", all.toArray(), command);
            }
          }
        });
  }

  @Test
  void norDoesALyingService() {
    commands()
        .forEach((name, command) -> {
          if (command.getCommandSpec().findOption("--service") == null) {
            return;
          }
          for (Object[] words : CALLS.getOrDefault(name, List.of())) {
            lying.lie = HostileTextTest::poisoned;
            check("poisoned", words, command);
            lying.lie = answer -> answer;
            lying.refusal = REFUSAL;
            check("refused", words, command);
            lying.refusal = null;
          }
        });
  }
}
