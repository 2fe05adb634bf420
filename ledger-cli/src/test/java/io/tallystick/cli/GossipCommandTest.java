package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.ServiceProperties.Reads;
import io.tallystick.proxy.TallystickService;
import io.tallystick.proxy.WitnessProperties;
import io.tallystick.server.host.LocalNode;
import io.tallystick.testkit.TestWitness;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: an auditor hears others who have seen the same ledger, and convicts a service that showed
/// them something else. Method: two real services with one key, of which each went on by itself.
class GossipCommandTest {
  private static final TestWitness WITNESS = TestWitness.of("one.example");

  @TempDir private Path home;
  private final ClientKey owner = ClientKey.generate();
  private LedgerId ledger;

  @BeforeEach
  void found() throws Exception {
    try (RunningService service = start("data");
        TallyClient client = client(service, "trust")) {
      LedgerHandle handle = client.createLedger("gossip", List.of(owner), LedgerOptions.DEFAULT);
      ledger = handle.id();
      handle.append(JournalDraft.text("first"));
    }
    RollbackTest.copy(home.resolve("data"), home.resolve("twin"));
  }

  private RunningService start(String data) throws Exception {
    return TallystickService.start(LocalNode::open, properties(data));
  }

  private ServiceProperties properties(String data) {
    return ServiceProperties.of(home.resolve(data), 0).withReads(Reads.ANYONE);
  }

  private TallyClient client(RunningService service, String trust) {
    return TallyClient.connect(ClientConfig.of(service.target(), home.resolve(trust)));
  }

  private Cli cli(RunningService service) {
    return new Cli(service.target(), home.resolve("auditor").toString());
  }

  private Path checkpoint(RunningService service, String name, String... journals)
      throws Exception {
    try (TallyClient client = client(service, "trust of " + name)) {
      LedgerHandle handle = client.open(ledger, owner);
      for (String text : journals) {
        handle.append(JournalDraft.text(text));
      }
      return Files.write(home.resolve(name), handle.checkpoint().evidence().encoded().toArray());
    }
  }

  private static JsonNode heads(Cli.Result audit) {
    return audit.parsed().at("/audit/gossip/heads");
  }

  @Test
  void aForkIsFoundKeptAndConvicts() throws Exception {
    Path theirs;
    Path earlier;
    try (RunningService twin = start("twin")) {
      earlier = checkpoint(twin, "earlier.note");
      theirs = checkpoint(twin, "theirs.note", "for them");
    }
    try (RunningService service = start("data")) {
      Path longer = checkpoint(service, "longer.note", "for me", "and more");
      Path copy = home.resolve("copy.tlog");
      Path kept = home.resolve("kept");
      Cli.Result audit =
          cli(service)
              .call(
                  "audit",
                  ledger.hex(),
                  "--save",
                  copy,
                  "--compare",
                  earlier,
                  "--compare",
                  theirs,
                  "--compare",
                  longer,
                  "--keep",
                  kept)
              .hasStatus(ExitCode.EVIDENCE);
      assertThat(audit.out())
          .contains("AUDIT FAILED at jsn 5")
          .contains("OTHER_HEAD_CONTRADICTED")
          .contains(earlier + ", size 4: the log contains it")
          .contains(theirs + ", size 6: CONTRADICTED")
          .contains(longer + ", size 8: the log contains it");
      List<Path> files;
      try (var all = Files.list(kept)) {
        files = all.sorted().toList();
      }
      assertThat(files).hasSize(2);
      assertThat(audit.out())
          .contains(
              "tally evidence fork " + ledger + " " + files.getFirst() + " " + files.getLast());
      Path evidence = home.resolve("fork.evidence");
      Cli.run(
              "evidence",
              "fork",
              ledger.hex(),
              files.getFirst(),
              files.getLast(),
              "--log",
              copy,
              "--out",
              evidence)
          .hasStatus(ExitCode.OK);
      Cli.run("evidence", "check", ledger.hex(), evidence, "--log", copy).hasStatus(ExitCode.OK);
    }
  }

  @Test
  void everyFormOfAHeadIsRead() throws Exception {
    Path key = home.resolve("auditor.pem");
    Cli.run("keygen", key).hasStatus(ExitCode.OK);
    Path state = home.resolve("state");
    try (RunningService service = start("data")) {
      Cli cli = cli(service);
      cli.call("audit", ledger.hex(), "--state", state, "--key", key).hasStatus(ExitCode.OK);
      Path store = home.resolve("trust").resolve(ledger.hex()).resolve("head-0");
      Path statement = state.resolve(ledger.hex() + "-0.audit");
      Cli.Result audit =
          cli.call(
                  "audit",
                  ledger.hex(),
                  "--json",
                  "--compare",
                  String.format(
                      Locale.ROOT,
                      "http://127.0.0.1:%d/v1/ledgers/%s/checkpoint?cosigned=true",
                      service.httpPort(),
                      ledger),
                  "--compare",
                  store,
                  "--compare",
                  statement)
              .hasStatus(ExitCode.OK);
      for (JsonNode head : heads(audit)) {
        assertThat(head.get("outcome").stringValue()).isEqualTo("CONTAINED");
        assertThat(head.get("size").longValue()).isEqualTo(4);
      }
      assertThat(heads(audit)).hasSize(3);
      assertThat(heads(audit).get(2).get("signed").booleanValue()).isFalse();
      assertThat(cli.call("audit", ledger.hex(), "--compare", key).hasStatus(ExitCode.FILE).err())
          .contains(key.toString());
      cli.call("audit", ledger.hex(), "--keep", state).hasStatus(ExitCode.USAGE);
    }
  }

  @Test
  void anAuditDemandsWitnesses() throws Exception {
    HttpServer witness = witness();
    try (RunningService service = TallystickService.start(LocalNode::open, witnessedBy(witness))) {
      Cli cli = cli(service);
      String key = WITNESS.key().vkey();
      String stranger = TestWitness.of("two.example").key().vkey();
      Path page = home.resolve("report.html");
      String[] both = {"audit", ledger.hex(), "--witness", key, "--witness", stranger};
      Cli.Result audit =
          cli.call(with(both, "--quorum", "1", "--html", page)).hasStatus(ExitCode.OK);
      assertThat(audit.out()).contains("one.example at 2026-01-01T00:00:00Z cosigned the head");
      assertThat(page).content().contains("Heads of others", "one.example");
      assertThat(cli.call(with(both)).hasStatus(ExitCode.EVIDENCE).out())
          .contains("HEAD_NOT_WITNESSED")
          .contains("missing: two.example");
      Path files = home.resolve("files");
      cli.call("export", ledger.hex(), files, "--bodies").hasStatus(ExitCode.OK);
      assertThat(files.resolve("checkpoint.cosigned")).exists();
      cli.call("audit", ledger.hex(), "--tiles", files, "--witness", key).hasStatus(ExitCode.OK);
      Path copy = home.resolve("copy.tlog");
      cli.call("audit", ledger.hex(), "--save", copy, "--witness", key).hasStatus(ExitCode.OK);
      cli.call("audit", ledger.hex(), "--quorum", "1").hasStatus(ExitCode.USAGE);
      cli.call("audit", ledger.hex(), "--witness", "no key").hasStatus(ExitCode.USAGE);
    } finally {
      witness.stop(0);
    }
  }

  private static Object[] with(String[] words, Object... more) {
    return Stream.concat(Stream.of(words), Stream.of(more)).toArray();
  }

  private ServiceProperties witnessedBy(HttpServer witness) {
    String place = "http://127.0.0.1:" + witness.getAddress().getPort();
    return properties("data")
        .withWitness(
            new WitnessProperties(
                List.of(WITNESS.key().vkey() + " " + place),
                List.of(ledger.hex()),
                1,
                Duration.ofDays(1),
                Duration.ofSeconds(20)));
  }

  /// One that cosigns whatever it is shown.
  private static HttpServer witness() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/add-checkpoint",
        exchange -> {
          try (exchange) {
            String body =
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String note = body.substring(body.indexOf("\n\n") + 2);
            String all = WITNESS.cosigned(Bytes.utf8(note), 1_767_225_600);
            byte[] answer = all.substring(all.lastIndexOf('—')).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
          }
        });
    server.start();
    return server;
  }
}
