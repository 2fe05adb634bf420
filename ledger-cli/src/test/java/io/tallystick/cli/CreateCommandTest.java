package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.client.ClientKey;
import io.tallystick.model.Bytes;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.proxy.TimeProperties;
import io.tallystick.server.host.LocalNode;
import io.tallystick.testkit.time.TestTimeAuthority;
import io.tallystick.testkit.time.TokenRecipe;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: one command founds a ledger of any style with its first members and its first time
/// journal, once, wherever it breaks off. Method: the real service with a time authority, and a
/// proxy before it that cuts the connection at each call in turn.
class CreateCommandTest {
  private static final TestTimeAuthority AUTHORITY = new TestTimeAuthority("trusted");

  /// As many as the command makes, or some more.
  private static final int CALLS = 12;

  @TempDir private static Path home;
  private static HttpServer authority;
  private static RunningService service;
  private static Path owner;
  private static String regulator = "";
  private static String member = "";
  private static String regulatorSpki = "";
  private static String memberSpki = "";

  @BeforeAll
  static void start() throws Exception {
    authority = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    authority.createContext(
        "/",
        exchange -> {
          try (exchange) {
            Bytes query = Bytes.wrap(exchange.getRequestBody().readAllBytes());
            byte[] answer = AUTHORITY.answer(query, Instant.now(), recipe -> recipe).toArray();
            exchange.getResponseHeaders().set("Content-Type", "application/timestamp-reply");
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
          }
        });
    authority.start();
    Path ca = Files.write(home.resolve("ca.der"), AUTHORITY.root().getEncoded());
    service =
        TallystickService.start(
            LocalNode::open,
            ServiceProperties.of(home.resolve("data"), 0)
                .withTime(
                    new TimeProperties(
                        List.of("http://127.0.0.1:" + authority.getAddress().getPort() + "/"),
                        ca.toString(),
                        TokenRecipe.POLICY,
                        Duration.ofHours(1),
                        1_000_000,
                        Duration.ofSeconds(30),
                        false,
                        null,
                        null)));
    owner = home.resolve("owner.pem");
    Cli.run("keygen", owner).hasStatus(0);
    JsonNode first = Cli.run("keygen", home.resolve("regulator.pem"), "--json").json();
    regulator = first.get("kid").stringValue();
    regulatorSpki = first.get("spki").stringValue();
    JsonNode second = Cli.run("keygen", home.resolve("member.pem"), "--json").json();
    member = second.get("kid").stringValue();
    memberSpki = second.get("spki").stringValue();
  }

  @AfterAll
  static void stop() {
    service.close();
    authority.stop(0);
  }

  private static Cli cli(String trust) {
    return new Cli(service.target(), home.resolve(trust).toString()).withReader(owner);
  }

  private static Cli.Result create(Cli cli, String name, Object... options) {
    List<Object> words = new ArrayList<>(List.of("ledger", "create", name, "--key", owner));
    words.addAll(List.of(options));
    return cli.call(words.toArray());
  }

  private static Path pem(String name, String spki) throws Exception {
    String base64 = Base64.getMimeEncoder().encodeToString(HexFormat.of().parseHex(spki));
    return Files.writeString(
        home.resolve(name),
        "-----BEGIN PUBLIC KEY-----\n" + base64 + "\n-----END PUBLIC KEY-----\n");
  }

  private static long named(Cli cli, String name) {
    return cli.call("ledger", "list", "--json")
        .json()
        .get("ledgers")
        .valueStream()
        .filter(each -> each.get("name").stringValue().equals(name))
        .count();
  }

  @Test
  void foundsGrantsAndStampsInOneCall() throws Exception {
    Cli cli = cli("one");
    Path out = home.resolve("one.id");
    JsonNode made =
        create(
                cli,
                "one",
                "--member",
                "regulator=" + pem("regulator.pub", regulatorSpki),
                "--member",
                "normal=" + memberSpki,
                "--state",
                "--partition-entries",
                4_096,
                "--out",
                out,
                "--json")
            .json();
    assertThat(made.at("/members/0/kid").stringValue()).isEqualTo(regulator);
    assertThat(made.at("/members/0/existed").booleanValue()).isFalse();
    assertThat(made.at("/members/1/role").stringValue()).isEqualTo("normal");
    long last = made.at("/members/1/jsn").longValue();
    assertThat(made.at("/time/size").longValue()).isGreaterThan(last);
    String id = made.get("ledgerId").stringValue();
    assertThat(out).hasContent(id);
    assertThat(cli.call("member", "list", id, "--json").json().get("members").size()).isEqualTo(3);
    cli.call("state", "put", id, "k", "v", "--key", owner).hasStatus(0);
    cli.call("audit", id).hasStatus(0);
    assertThat(home.resolve("one").resolve("pending")).isEmptyDirectory();
    assertThat(create(cli, "one").hasStatus(0).out()).as("another one").doesNotContain(id);
  }

  /// A call is cut at its message or at its answer; the same command again goes on.
  @Test
  void whereverItBreaksOffTheSameCommandGoesOn() throws Exception {
    try (ExecutorService each = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Boolean>> cases = new ArrayList<>();
      for (CuttingProxy.At at : CuttingProxy.At.values()) {
        for (int calls = 0; calls < CALLS; calls++) {
          int before = calls;
          cases.add(each.submit(() -> goesOn(at, before)));
        }
      }
      int broken = 0;
      for (Future<Boolean> one : cases) {
        broken += one.get() ? 1 : 0;
      }
      assertThat(broken).isGreaterThanOrEqualTo(CALLS);
    }
  }

  /// @return whether a call was cut
  private static boolean goesOn(CuttingProxy.At at, int callsBefore) throws Exception {
    String target = service.target();
    int port = Integer.parseInt(target.substring(target.lastIndexOf(':') + 1));
    String name = at + " " + callsBefore;
    Path out = home.resolve(name + ".id");
    Object[] options = {
      "--member",
      "regulator=" + regulatorSpki,
      "--member",
      "normal=" + memberSpki,
      "--out",
      out,
      "--json"
    };
    Cli cli = cli(name);
    try (CuttingProxy proxy = new CuttingProxy(port, at, callsBefore)) {
      Cli cut = new Cli(proxy.target(), home.resolve(name).toString()).withReader(owner);
      Cli.Result said = create(cut, name, options);
      if (proxy.cuts() == 0) {
        said.hasStatus(0);
        return false;
      }
      assertThat(said.status())
          .as("%s%n%s", name, said.err())
          .isIn(ExitCode.UNAVAILABLE, ExitCode.OUTCOME_UNKNOWN);
    }
    JsonNode made = create(cli, name, options).json();
    String id = made.get("ledgerId").stringValue();
    assertThat(out).hasContent(id);
    assertThat(named(cli, name)).as(name).isEqualTo(1);
    JsonNode members = cli.call("member", "list", id, "--json").json().get("members");
    assertThat(members.valueStream().map(each -> each.get("kid").stringValue()))
        .as(name)
        .hasSize(3)
        .contains(regulator, member);
    assertThat(members.valueStream().filter(each -> each.has("grantedJsn"))).as(name).isEmpty();
    assertThat(made.get("time").has("jsn")).as(name + made).isTrue();
    return true;
  }

  /// Somebody who broke off, and then asks for other members.
  @Test
  void whatAnEarlierCallGrantedIsNamed() throws Exception {
    String target = service.target();
    int port = Integer.parseInt(target.substring(target.lastIndexOf(':') + 1));
    List<String> named = new ArrayList<>();
    for (int calls = 0; calls < CALLS && named.isEmpty(); calls++) {
      String name = "changed " + calls;
      Object[] both = {
        "--member", "regulator=" + regulatorSpki, "--member", "normal=" + memberSpki
      };
      try (CuttingProxy proxy = new CuttingProxy(port, CuttingProxy.At.MESSAGE, calls)) {
        Cli cut = new Cli(proxy.target(), home.resolve(name).toString()).withReader(owner);
        create(cut, name, both);
      }
      Cli again = cli(name);
      Cli.Result other = create(again, name, "--member", "readOnly=" + regulatorSpki, "--json");
      if (other.status() == ExitCode.REFUSED) {
        assertThat(other.err())
            .contains("The ledger is founded; `tally member grant` gives it further members.")
            .contains("refused (member_exists)");
        create(again, name, "--member", "normal=" + memberSpki, "--json")
            .json()
            .get("others")
            .forEach(kid -> named.add(kid.stringValue()));
      }
    }
    assertThat(named).containsExactly(regulator);
  }

  @Test
  void aStyleIsForEverAndContradictionsAreRefusedUnsigned() throws Exception {
    Cli cli = cli("styles");
    Path other = home.resolve("other.pem");
    String spki = Cli.run("keygen", other, "--json").json().get("spki").stringValue();
    Object[][] conflicts = {
      {"--style", "mono", "--key", other},
      {"--style", "mono", "--member", "normal=" + spki},
      {"--style", "mono", "--member", "owner=" + spki},
      {"--style", "delegated", "--member", "normal=" + spki}
    };
    for (Object[] conflict : conflicts) {
      assertThat(create(cli, "conflict", conflict).hasStatus(ExitCode.REFUSED).err())
          .contains("refused (feature_conflict): ", "in a ledger with feature ");
    }
    Object[][] wrong = {
      {"--partition-entries", 4_096},
      {"--state", "--partition-entries", 3},
      {"--member", "king=" + spki},
      {"--member", "normal"},
      {"--member", "normal=" + spki, "--member", "regulator=" + spki},
      {"--member", "normal=" + ClientKey.load(owner).publicKey().spki().hex()},
      {"--style", "free"}
    };
    for (Object[] each : wrong) {
      create(cli, "conflict", each).hasStatus(ExitCode.USAGE);
    }
    create(cli, "conflict", "--member", "normal=" + home.resolve("none")).hasStatus(ExitCode.FILE);
    create(cli, "conflict", "--member", "normal=" + other).hasStatus(ExitCode.FILE);

    JsonNode agents =
        create(cli, "agents", "--style", "delegated", "--member", "agent=" + spki, "--json").json();
    assertThat(agents.at("/members/0/delegated").booleanValue()).isTrue();
    assertThat(named(cli, "conflict")).isZero();
    String kept =
        create(cli, "kept", "--style", "mono", "--permanent", "--json")
            .json()
            .get("ledgerId")
            .stringValue();
    assertThat(
            cli.call("member", "add", kept, memberSpki, "--key", owner)
                .hasStatus(ExitCode.REFUSED)
                .err())
        .contains("role_not_allowed");
    cli.call("member", "add", kept, regulatorSpki, "--role", "regulator", "--key", owner)
        .hasStatus(0);
    Path occult = home.resolve("occult");
    Path signer = home.resolve("regulator.pem");
    long jsn =
        cli.call("append", kept, "--text", "kept", "--key", owner, "--json")
            .json()
            .at("/journals/0/jsn")
            .longValue();
    cli.call("propose", "occult", kept, "--jsn", jsn, "--out", occult).hasStatus(0);
    Cli.run("sign", occult, "--key", owner).hasStatus(0);
    Cli.run("sign", occult, "--key", signer).hasStatus(0);
    assertThat(cli.call("submit", occult).hasStatus(ExitCode.REFUSED).err())
        .contains("feature_forbids");
    cli.call("audit", kept).hasStatus(0);
  }
}
