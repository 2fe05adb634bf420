package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.model.Bytes;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.proxy.TimeProperties;
import io.tallystick.server.host.LocalNode;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.time.TestTimeAuthority;
import io.tallystick.testkit.time.TokenRecipe;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: a ledger is deleted as `docs/removal.md` says, step by step, also one with time journals,
/// and whoever never saw it audits what is left. Method: the commands of the page against a real
/// service with a time authority.
class DeleteLedgerTest {
  private static final TestTimeAuthority AUTHORITY = new TestTimeAuthority("trusted");

  @TempDir private static Path home;
  private static HttpServer authority;
  private static RunningService service;
  private static Cli cli;
  private static Path owner;

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
    TimeProperties time =
        new TimeProperties(
            List.of("http://127.0.0.1:" + authority.getAddress().getPort() + "/"),
            ca.toString(),
            TokenRecipe.POLICY,
            Duration.ofSeconds(1),
            1,
            Duration.ofSeconds(30),
            false,
            null,
            null);
    service =
        TallystickService.start(
            LocalNode::open, ServiceProperties.of(home.resolve("data"), 0).withTime(time));
    owner = home.resolve("owner.pem");
    Cli.run("keygen", owner).hasStatus(0);
    cli = new Cli(service.target(), home.resolve("trust").toString()).withReader(owner);
  }

  @AfterAll
  static void stop() {
    service.close();
    authority.stop(0);
  }

  private static String listed() {
    return cli.call("ledger", "list").hasStatus(0).out();
  }

  private static long jsn(Object... words) {
    return cli.call(words).json().get("jsn").longValue();
  }

  @Test
  void isClosedStampedAndPurgedWithItsClosing() throws Exception {
    String ledger =
        cli.call("ledger", "create", "short-lived", "--key", owner, "--json")
            .json()
            .get("ledgerId")
            .stringValue();
    long one =
        cli.call("append", ledger, "--text", "one", "--key", owner, "--json")
            .json()
            .at("/journals/0/jsn")
            .longValue();
    Waiting.until("it has a time journal", () -> cli.call("time", "last", ledger).status() == 0);
    assertThat(listed()).contains(ledger, "short-lived");

    long closing = jsn("ledger", "close", ledger, "--key", owner, "--json");
    Path file = home.resolve("all.purge");
    long height = closing / 2; // each journal here has a block of its own
    Object[] prepare = {
      "purge", "prepare", ledger, "--height", height, "--recall-days", 0, "--out", file
    };
    Waiting.until("the closing is stamped", () -> cli.call(prepare).status() == 0);
    assertThat(jsn("time", "last", ledger, "--json")).isGreaterThan(closing);
    cli.call("purge", "sign", file, "--key", owner).hasStatus(0);
    long purge = jsn("purge", "submit", file, "--json");

    assertThat(listed()).doesNotContain(ledger).doesNotContain("short-lived");
    Cli stranger = new Cli(service.target(), home.resolve("stranger").toString()).withReader(owner);
    JsonNode left = stranger.call("audit", ledger, "--json").json().get("audit");
    assertThat(left.get("result").stringValue()).isEqualTo("passed");
    assertThat(left.get("closedJsn").longValue()).isEqualTo(closing);
    Cli.Result gone = cli.call("get", ledger, one).hasStatus(ExitCode.REFUSED);
    assertThat(gone.out()).contains("removed   by purge " + purge);
    Path saved = home.resolve("all.certificate");
    Waiting.until(
        "all is erased",
        () -> {
          var _ = cli.call("certificate", ledger, purge, "--save", saved);
          return Files.exists(saved);
        });
    assertThat(Cli.run("certificate", ledger, purge, "--verify", saved).hasStatus(0).out())
        .contains("A purge removed all journals from jsn 0 to " + (closing + 1));
  }
}
