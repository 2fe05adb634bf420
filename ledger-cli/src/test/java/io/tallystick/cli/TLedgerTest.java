package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.StampedTime;
import io.tallystick.client.TallyClient;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.TimeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.SubmitProperties;
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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: heads go to a T-Ledger of another service and come back as time journals, also after both
/// were started again, and auditors judge both ledgers. Method: two real services, one of which
/// keeps the T-Ledger and asks a time authority.
class TLedgerTest {
  private static final TestTimeAuthority AUTHORITY = new TestTimeAuthority("trusted");
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  @TempDir private Path folder = Path.of("");

  private RunningService keeper() throws Exception {
    return keeper(TimeProperties.OFF);
  }

  private RunningService keeper(TimeProperties time) throws Exception {
    return TallystickService.start(
        LocalNode::open,
        ServiceProperties.of(folder.resolve("t"), 0)
            .withTime(time.withTLedger(true, submitters())));
  }

  private String submitters() throws Exception {
    return Files.writeString(folder.resolve("submitters"), "anybody 10\n").toString();
  }

  private static HttpServer authority() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
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
    server.start();
    return server;
  }

  /// A token for each journal that waits.
  private static TimeProperties stamped(HttpServer authority, Path ca) {
    String url = "http://127.0.0.1:" + authority.getAddress().getPort() + "/tsr";
    return new TimeProperties(
        List.of(url),
        ca.toString(),
        TokenRecipe.POLICY,
        Duration.ofSeconds(1),
        1,
        TIMEOUT,
        false,
        null,
        null);
  }

  private RunningService submitter(RunningService keeper, String tLedger) throws Exception {
    SubmitProperties submit =
        new SubmitProperties(keeper.target(), tLedger, List.of("all"), Duration.ofMillis(1), null);
    return TallystickService.start(
        LocalNode::open,
        ServiceProperties.of(folder.resolve("s"), 0)
            .withTime(TimeProperties.OFF.withSubmit(submit)));
  }

  private String tLedger(RunningService keeper) throws Exception {
    Cli cli = new Cli(keeper.target(), folder.resolve("t-trust").toString());
    return cli.call("ledger", "list", "--json")
        .json()
        .get("ledgers")
        .get(0)
        .get("ledgerId")
        .stringValue();
  }

  /// Appends until so many time journals stand in the log.
  private static List<Extension.Time> times(LedgerHandle ledger, int wanted) throws Exception {
    List<Extension.Time> times = new ArrayList<>();
    long deadline = Waiting.deadline();
    for (int i = 0; times.size() < wanted && !Waiting.isOver(deadline); i++) {
      ledger.append(JournalDraft.of(Bytes.utf8("journal " + i), "text/plain"));
      Thread.sleep(200);
      times.clear();
      long size = ledger.checkpoint().size().value();
      for (long jsn = 2; jsn < size; jsn++) {
        if (Leaf.decode(ledger.receipt(new Jsn(jsn)).leaf()) instanceof JournalLeaf journal) {
          RequestHeader header = RequestHeader.decode(journal.header());
          if (header.kind() == Kind.TIME && header.extension() instanceof Extension.Time time) {
            times.add(time);
          }
        }
      }
    }
    return times;
  }

  @Test
  void headsComeBackAsTimeJournals() throws Exception {
    String id;
    ClientKey owner = ClientKey.generate();
    try (RunningService keeper = keeper()) {
      id = tLedger(keeper);
      try (RunningService service = submitter(keeper, id);
          TallyClient client =
              TallyClient.connect(
                  ClientConfig.of(service.target(), folder.resolve("trust")).withReader(owner))) {
        LedgerHandle ledger =
            client.createLedger("submitting", List.of(owner), LedgerOptions.DEFAULT);
        List<Extension.Time> times = times(ledger, 2);
        assertThat(times).hasSizeGreaterThanOrEqualTo(2);
        assertThat(times.getFirst().previous()).isEmpty();
        assertThat(times.get(1).previous()).isPresent();
        assertThat(times)
            .allSatisfy(time ->
                assertThat(time.proof())
                    .isInstanceOfSatisfying(
                        TimeProof.TLedger.class,
                        proof -> assertThat(proof.ledger()).hasToString(id)));
      }
    }
    try (RunningService keeper = keeper()) {
      assertThat(tLedger(keeper)).as("it is founded once").isEqualTo(id);
      Cli cli = new Cli(keeper.target(), folder.resolve("t-trust").toString());
      cli.call("audit", id).hasStatus(0);
    }
  }

  @Test
  void auditorsJudgeTheHeadsAndTheTimeJournals() throws Exception {
    Path ca = Files.write(folder.resolve("ca.der"), AUTHORITY.root().getEncoded());
    Path key = folder.resolve("owner.pem");
    ClientKey owner = ClientKey.generate();
    owner.save(key);
    HttpServer authority = authority();
    try (RunningService keeper = keeper(stamped(authority, ca))) {
      String id = tLedger(keeper);
      try (RunningService service = submitter(keeper, id);
          TallyClient client =
              TallyClient.connect(
                  ClientConfig.of(service.target(), folder.resolve("trust")).withReader(owner))) {
        LedgerHandle ledger =
            client.createLedger("submitting", List.of(owner), LedgerOptions.DEFAULT);
        assertThat(times(ledger, 2)).hasSizeGreaterThanOrEqualTo(2);
        Cli own = new Cli(service.target(), folder.resolve("trust").toString()).withReader(key);
        Cli theirs = new Cli(keeper.target(), folder.resolve("t-trust").toString());
        Path files = folder.resolve("files");
        Object[] audit = {"audit", ledger.id(), "--t-ledger", files, "--tsa-ca", ca, "--json"};
        Waiting.until(
            "tokens of the T-Ledger bound an entry",
            () -> {
              theirs.call("export", id, files, "--bodies").hasStatus(0);
              return own.call(audit).json().at("/audit/time/journals").longValue() > 0;
            });
        JsonNode time = own.call(audit).json().at("/audit/time");
        assertThat(time.get("unjudged").longValue()).isZero();
        assertThat(time.at("/tLedgers/0/ledgerId").stringValue()).isEqualTo(id);
        Object[] alone = {"audit", ledger.id(), "--tsa-ca", ca, "--json"};
        assertThat(own.call(alone).json().at("/audit/time/judged").longValue()).isZero();

        Path genesis = folder.resolve("trust").resolve(ledger.id().hex()).resolve("genesis");
        Object[] judged = {
          "audit", id, "--tiles", files, "--heads", "--submitter", genesis, "--json"
        };
        JsonNode heads = theirs.call(judged).json().at("/audit/heads");
        assertThat(heads.get("judged").longValue()).isGreaterThanOrEqualTo(2);
        assertThat(heads.get("unjudged").longValue()).isZero();
        assertThat(heads.get("ledgers").longValue()).isEqualTo(1);
      }
    } finally {
      authority.stop(0);
    }
  }

  /// The schedule is silent: a head goes out once an hour, and the T-Ledger is stamped once.
  @Test
  void membersAskForTimesOfTheirLedgerAndTheKeeperOfTheTLedger() throws Exception {
    Path ca = Files.write(folder.resolve("ca.der"), AUTHORITY.root().getEncoded());
    Path key = folder.resolve("owner.pem");
    ClientKey owner = ClientKey.generate();
    owner.save(key);
    HttpServer authority = authority();
    try (RunningService keeper = keeper(stamped(authority, ca))) {
      String id = tLedger(keeper);
      SubmitProperties submit =
          new SubmitProperties(keeper.target(), id, List.of("all"), Duration.ofHours(1), null);
      try (RunningService service =
              TallystickService.start(
                  LocalNode::open,
                  ServiceProperties.of(folder.resolve("s"), 0)
                      .withTime(TimeProperties.OFF.withSubmit(submit)));
          TallyClient client =
              TallyClient.connect(
                  ClientConfig.of(service.target(), folder.resolve("trust")).withReader(owner))) {
        LedgerHandle ledger =
            client.createLedger("submitting", List.of(owner), LedgerOptions.DEFAULT);
        assertThat(times(ledger, 1)).hasSize(1);
        var _ = ledger.append(JournalDraft.text("not sent by the schedule"));
        StampedTime requested = ledger.anchors().requestTime();
        assertThat(requested.existed()).isFalse();
        assertThat(requested.granted().time().proof()).isInstanceOf(TimeProof.TLedger.class);
        assertThat(requested.granted().time().size().value())
            .isEqualTo(requested.granted().journal().leaf().jsn().value());
        Cli own = new Cli(service.target(), folder.resolve("trust").toString()).withReader(key);
        JsonNode again = own.call("time", "request", ledger.id(), "--json").json();
        assertThat(again.get("existed").booleanValue()).isTrue();
        assertThat(again.get("jsn").longValue())
            .isEqualTo(requested.granted().journal().leaf().jsn().value());
        own.call("audit", ledger.id()).hasStatus(0);
      }
      Cli theirs =
          new Cli(keeper.target(), folder.resolve("t-trust").toString())
              .withReader(folder.resolve("t/t-ledger/owner.pem"));
      JsonNode time = theirs.call("time", "request", id, "--json").json();
      assertThat(time.get("size").longValue()).isGreaterThanOrEqualTo(2);
      theirs.call("audit", id, "--tsa-ca", ca).hasStatus(0);
    } finally {
      authority.stop(0);
    }
  }

  private void rotate(Cli cli, String ledger, Path data, Path owner) {
    JsonNode made = Cli.run("keys", "new", "--data", data, "--json").json();
    cli.call(
            "keys",
            "rotate",
            ledger,
            "--note-key",
            made.get("noteSpki").stringValue(),
            "--receipt-key",
            made.get("receiptSpki").stringValue(),
            "--key",
            owner)
        .hasStatus(0);
  }

  /// The submitter's key chain goes along; the T-Ledger's is asked for when its key is unknown.
  @Test
  void headsComeBackAfterBothServicesRotatedTheirKeys() throws Exception {
    Path ownerFile = folder.resolve("owner.pem");
    Cli.run("keygen", ownerFile).hasStatus(0);
    ClientKey owner = ClientKey.load(ownerFile);
    try (RunningService keeper = keeper()) {
      String id = tLedger(keeper);
      Cli keeping = new Cli(keeper.target(), folder.resolve("t-trust").toString());
      try (RunningService service = submitter(keeper, id);
          TallyClient client =
              TallyClient.connect(
                  ClientConfig.of(service.target(), folder.resolve("trust")).withReader(owner))) {
        LedgerHandle ledger =
            client.createLedger("submitting", List.of(owner), LedgerOptions.DEFAULT);
        int before = times(ledger, 1).size();
        Cli submitting =
            new Cli(service.target(), folder.resolve("s-trust").toString()).withReader(ownerFile);
        rotate(submitting, ledger.id().toString(), folder.resolve("s"), ownerFile);
        int between = times(ledger, before + 2).size();
        assertThat(between).isGreaterThanOrEqualTo(before + 2);
        rotate(keeping, id, folder.resolve("t"), folder.resolve("t/t-ledger/owner.pem"));
        assertThat(times(ledger, between + 2)).hasSizeGreaterThanOrEqualTo(between + 2);
        submitting.call("audit", ledger.id()).hasStatus(0);
      }
      keeping.call("audit", id).hasStatus(0);
    }
  }
}
