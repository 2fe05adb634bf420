package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: status 4 means evidence. A missing flag, a wrong file, folder or address, a copy without
/// bodies, a pipe and a newer form end otherwise, at once, and say what is wrong. Method: the
/// command line against a real service that knows itself by another name than it is reached by.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FalseAlarmsTest {
  private static final String LOG_KEY =
      "example.com/log-of-others+a941a76f+AQ/IRxKO6XYPnPaMmbUMlVK/aL+aTZw7ujZ1VAAz6RnY";

  private static final String AUTHORITY = "ledgers.example.org";

  @TempDir private static Path home;
  private static RunningService service;
  private static HttpServer web;
  private static Cli cli;
  private static Path ada;
  private static Path text;
  private static Path empty;
  private static Path newer;
  private static Path pipe;
  private static String page = "";
  private static String ledger = "";

  @BeforeAll
  static void start() throws Exception {
    service =
        TallystickService.start(
            LocalNode::open,
            "--tallystick.data-dir=" + home.resolve("data"),
            "--tallystick.port=0",
            "--tallystick.http-port=0",
            "--tallystick.authority=" + AUTHORITY);
    ada = home.resolve("ada.pem");
    Cli.run("keygen", ada).hasStatus(0);
    cli = new Cli(service.target(), home.resolve("trust").toString()).withReader(ada);
    ledger =
        cli.call("ledger", "create", "calm", "--state", "--key", ada, "--json")
            .json()
            .get("ledgerId")
            .stringValue();
    cli.call("append", ledger, "--text", "body", "--clue", "c", "--key", ada).hasStatus(0);
    text = Files.writeString(home.resolve("notes.txt"), "no file of ours\n".repeat(40));
    empty = Files.createDirectory(home.resolve("empty"));
    Path copy = home.resolve("copy.tlog");
    cli.call("audit", ledger, "--save", copy).hasStatus(0);
    byte[] bytes = Files.readAllBytes(copy);
    bytes[11] = 99; // the last byte of the version
    newer = Files.write(home.resolve("newer.tlog"), bytes);
    pipe = home.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    serveAPage();
  }

  private static void serveAPage() throws Exception {
    byte[] html = "<!DOCTYPE html><p>Welcome".getBytes(StandardCharsets.UTF_8);
    web.createContext(
        "/",
        exchange -> {
          exchange.getResponseHeaders().set("Content-Type", "text/html");
          exchange.sendResponseHeaders(200, html.length);
          exchange.getResponseBody().write(html);
          exchange.close();
        });
    web.createContext(
        "/nothing/",
        exchange -> {
          exchange.sendResponseHeaders(404, -1);
          exchange.close();
        });
    web.start();
    page = URI.create("http://127.0.0.1:" + web.getAddress().getPort()).toString();
  }

  @AfterAll
  static void stop() {
    web.stop(0);
    service.close();
  }

  @Test
  void anExportWithoutBodiesSaysSoAndIsAuditedWithoutThem() {
    Path folder = home.resolve("public");
    cli.call("export", ledger, folder).hasStatus(0);
    assertThat(folder.resolve("left-out")).hasContent("bodies");
    Cli.Result audit = cli.call("audit", ledger, "--tiles", folder).hasStatus(0);
    assertThat(audit.out())
        .contains(
            "AUDIT PASSED", "bodies   NOT CHECKED", "copy     says that it is without bodies");
    assertThat(
            cli.call("audit", ledger, "--tiles", folder, "--json")
                .json()
                .get("audit")
                .get("bodiesChecked")
                .booleanValue())
        .isFalse();
    cli.call("export", ledger, folder, "--bodies").hasStatus(0);
    assertThat(folder.resolve("left-out")).doesNotExist();
    assertThat(cli.call("audit", ledger, "--tiles", folder).hasStatus(0).out())
        .doesNotContain("NOT CHECKED: this");
    cli.call("export", ledger, folder).hasStatus(0);
    assertThat(cli.call("audit", ledger, "--tiles", folder).hasStatus(0).out())
        .contains("bodies   NOT CHECKED");
  }

  @Test
  void aServiceOfAnotherNameIsListedWithAFlag() {
    Cli.Result result = cli.call("ledger", "list").hasStatus(ExitCode.USAGE);
    assertThat(result.err()).contains("calls itself " + AUTHORITY, "--authority");
    assertThat(cli.call("ledger", "list", "--authority", AUTHORITY).hasStatus(0).out())
        .contains(ledger);
  }

  @Test
  void aPageIsNoLog() {
    String log = page + "/l/" + ledger + "/0";
    Cli.Result result = cli.call("audit", log).hasStatus(ExitCode.UNAVAILABLE);
    assertThat(result.err()).contains(log + "/ is no Tallystick log", "text/html");
    assertThat(result.out()).isEmpty();
    assertThat(
            cli.call("audit", page + "/nothing/l/" + ledger + "/0")
                .hasStatus(ExitCode.UNAVAILABLE)
                .err())
        .contains("it has no file checkpoint");
    cli.call("audit", ledger, "--tiles", page).hasStatus(ExitCode.UNAVAILABLE);
    cli.call("audit", ledger, "--compare", page + "/checkpoint").hasStatus(ExitCode.UNAVAILABLE);
  }

  /// Some of them know no service.
  private static Cli.Result run(Object... words) {
    return List.of("sign", "evidence", "restore").contains(words[0])
        ? Cli.run(words)
        : cli.call(words);
  }

  private static Object[][] reads(Path wrong) {
    return new Object[][] {
      {"audit", ledger, "--tiles", wrong},
      {"audit", "--log-key", LOG_KEY, "--tiles", wrong},
      {"audit", ledger, "--copy", wrong},
      {"audit", ledger, "--compare", wrong},
      {"audit", ledger, "--from-anchor", wrong},
      {"audit", ledger, "--tsa-ca", wrong},
      {"audit", ledger, "--ca", wrong},
      {"audit", ledger, "--t-ledger", wrong},
      {"audit", ledger, "--state", wrong, "--key", ada},
      {"time", "export", ledger, home.resolve("tokens"), "--copy", wrong},
      {"verify", ledger, "--receipt", wrong},
      {"verify", ledger, "--offline", "--receipt", wrong},
      {"verify", ledger, "--genesis", wrong, "--receipt", text},
      {"verify", ledger, "--key-chain", wrong, "--receipt", text},
      {"verify", ledger, "--proof", wrong, "--payload", text},
      {"state", "verify", ledger, wrong},
      {"certificate", ledger, "--verify", wrong},
      {"evidence", "check", ledger, wrong, "--genesis", text},
      {"evidence", "check", ledger, text, "--log", wrong},
      {"evidence", "seal", ledger, wrong, "--genesis", text, "--out", home.resolve("out")},
      {"sign", wrong},
      {"submit", wrong},
      {"proposal", "put", wrong},
      {"purge", "sign", wrong, "--key", ada},
      {"restore", wrong, "--data", home.resolve("restored")},
      {"ledger", "show", "@" + wrong},
    };
  }

  @Test
  void whatIsNoFileOfOursAccusesNobody() {
    List<String> alarms = new ArrayList<>();
    for (Path wrong :
        List.of(text, empty, pipe, newer, home.resolve("none"), Path.of("/dev/zero"))) {
      for (Object[] read : reads(wrong)) {
        Cli.Result result = run(read);
        if (result.status() == ExitCode.EVIDENCE || result.status() == ExitCode.INTERNAL) {
          alarms.add(List.of(read) + ": " + result.out() + result.err());
        }
      }
    }
    assertThat(alarms).isEmpty();
  }

  @Test
  void aPipeIsNotWaitedFor() throws Exception {
    String says = "is no plain file, but a pipe, a socket or a device";
    for (Object[] read :
        new Object[][] {
          {"audit", ledger, "--copy", pipe},
          {"verify", ledger, "--receipt", pipe},
          {"verify", ledger, "--proof", pipe, "--payload", text},
          {"sign", pipe},
          {"certificate", ledger, "--verify", pipe},
        }) {
      assertThat(run(read).hasStatus(ExitCode.FILE).err()).contains(pipe + ": " + says);
    }
    Path folder = home.resolve("piped");
    cli.call("export", ledger, folder).hasStatus(0);
    Path checkpoint = folder.resolve("checkpoint");
    Files.delete(checkpoint);
    assertThat(new ProcessBuilder("mkfifo", checkpoint.toString()).start().waitFor()).isZero();
    assertThat(cli.call("audit", ledger, "--tiles", folder).hasStatus(ExitCode.FILE).err())
        .contains(says);
    Path genesis;
    try (var files = Files.walk(home.resolve("trust"))) {
      genesis = files.filter(file -> file.endsWith("genesis")).findFirst().orElseThrow();
    }
    byte[] content = Files.readAllBytes(genesis);
    Files.delete(genesis);
    assertThat(new ProcessBuilder("mkfifo", genesis.toString()).start().waitFor()).isZero();
    assertThat(cli.call("ledger", "show", ledger).hasStatus(ExitCode.FILE).err()).contains(says);
    Files.delete(genesis);
    Files.write(genesis, content);
  }
}
