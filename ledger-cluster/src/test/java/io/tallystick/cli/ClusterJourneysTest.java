package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.cluster.process.ClusterTrial;
import io.tallystick.model.LedgerId;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Goal: the most important journeys of the command line go through a cluster as they go through
/// `tally up`. Method: the command in this process, asking one proxy and then the other, against
/// the processes of a trial.
@Tag("long")
@Execution(ExecutionMode.SAME_THREAD)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ClusterJourneysTest {
  @TempDir private static Path home;
  private static ClusterTrial trial;
  private static List<String> proxies = List.of();
  private static Path ada;
  private static Path bo;
  private static String bosSpki = "";
  private static int calls;

  @BeforeAll
  static void start() throws Exception {
    trial = new ClusterTrial(home.resolve("cluster"), "192m", _ -> {});
    trial.start(4);
    proxies = trial.proxies();
    ada = home.resolve("ada.pem");
    bo = home.resolve("bo.pem");
    run("keygen", ada).ok();
    bosSpki = text(run("keygen", bo, "--json").json(), "spki");
  }

  @AfterAll
  static void stop() {
    trial.close();
  }

  private record Ended(int status, String out, String err) {
    Ended ends(int expected) {
      assertThat(status).as("%s%n%s", out, err).isEqualTo(expected);
      return this;
    }

    String ok() {
      return ends(ExitCode.OK).out;
    }

    JsonNode json() {
      return JsonMapper.builder().build().readTree(ok());
    }
  }

  private static Ended run(Object... arguments) {
    String[] words = Arrays.stream(arguments).map(Object::toString).toArray(String[]::new);
    CommandLine commandLine = Tally.commandLine(words);
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    commandLine.setOut(new PrintWriter(out, true));
    commandLine.setErr(new PrintWriter(err, true));
    return new Ended(commandLine.execute(words), out.toString(), err.toString());
  }

  private static Ended as(Path reader, Object... arguments) {
    List<Object> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--service", proxies.get(calls++ % proxies.size())));
    all.addAll(List.of("--trust", home.resolve("trust"), "--reader-key", reader));
    return run(all.toArray());
  }

  private static Ended call(Object... arguments) {
    return as(ada, arguments);
  }

  private static String text(JsonNode json, String field) {
    return Objects.requireNonNull(json.get(field), json.toString()).stringValue();
  }

  private static String founded(String name, Object... more) {
    List<Object> words = new ArrayList<>(List.of("ledger", "create", name, "--key", ada, "--json"));
    words.addAll(List.of(more));
    return text(call(words.toArray()).json(), "ledgerId");
  }

  private static long append(String ledger, Object... more) {
    List<Object> words = new ArrayList<>(List.of("append", ledger, "--key", ada, "--json"));
    words.addAll(List.of(more));
    return call(words.toArray()).json().get("journals").get(0).get("jsn").longValue();
  }

  @Test
  @Order(1)
  void membersAreAddedAppendAndAreRevoked() {
    String ledger = founded("members");
    call("member", "add", ledger, bosSpki, "--role", "normal", "--key", ada).ok();
    as(bo, "append", ledger, "--text", "bo's", "--key", bo).ok();
    String kid = text(run("keygen", home.resolve("cy.pem"), "--json").json(), "kid");
    assertThat(call("member", "list", ledger).ok()).contains("normal").doesNotContain(kid);
    String bos =
        call("member", "list", ledger, "--json")
            .json()
            .get("members")
            .valueStream()
            .filter(row -> text(row, "role").equals("normal"))
            .map(row -> text(row, "kid"))
            .findFirst()
            .orElseThrow();
    call("member", "revoke", ledger, bos, "--key", ada).ok();
    assertThat(call("append", ledger, "--text", "late", "--key", bo).ends(ExitCode.REFUSED).err())
        .contains("revoked_key");
    assertThat(call("ledger", "list").ok()).contains(ledger);
    assertThat(call("ledger", "show", ledger).ok()).contains("owner");
  }

  @Test
  @Order(1)
  void journalsAreAppendedReadProvenAuditedAndVerifiedOffline() {
    String ledger = founded("journals");
    long first = append(ledger, "--text", "one", "--clue", "order 1");
    long batch = append(ledger, "--text", "two", "--text", "three", "--clue", "order 1");
    assertThat(call("get", ledger, first).ok()).contains("one");
    assertThat(call("list", ledger).ok()).contains("one", "two", "three");
    JsonNode lineage = call("lineage", ledger, "order 1", "--verify", "--json").json();
    assertThat(lineage.get("journals").valueStream().map(row -> row.get("jsn").longValue()))
        .containsExactly(first, batch, batch + 1);
    Path receipt = home.resolve("receipt");
    call("get", ledger, first, "--receipt", receipt).ok();
    call("verify", ledger, "--receipt", receipt).ok();
    run("verify", ledger, "--offline", "--receipt", receipt, "--trust", home.resolve("trust")).ok();
    assertThat(call("audit", ledger).ok()).contains("AUDIT PASSED");
    Path files = home.resolve("files");
    call("export", ledger, files).ok();
    assertThat(call("audit", ledger, "--tiles", files, "--no-bodies").ok())
        .contains("AUDIT PASSED");
    call("anchor", "share", ledger, "--key", ada).ok();
    call("anchor", "get", ledger, "--out", home.resolve("anchor"), "--set").ok();
  }

  @Test
  @Order(1)
  void statesArePutReadScannedAndKeptInHistory() {
    String ledger = founded("states", "--state");
    call("state", "put", ledger, "stock", "12", "--key", ada).ok();
    long before = call("state", "get", ledger, "stock", "--json").json().get("height").longValue();
    call("state", "put", ledger, "stock", "11", "--key", ada).ok();
    call("state", "put", ledger, "store", "x", "--key", ada).ok();
    assertThat(call("state", "get", ledger, "stock").ok()).contains("2 B 11");
    assertThat(call("state", "get", ledger, "stock", "--as-of", before).ok()).contains("2 B 12");
    assertThat(call("state", "range", ledger, "--prefix", "sto").ok()).contains("2 keys");
    assertThat(call("state", "history", ledger, "stock").ok()).contains("12", "11");
    call("state", "delete", ledger, "stock", "--key", ada).ok();
    assertThat(call("state", "get", ledger, "stock").ok()).contains("deleted");
    assertThat(call("audit", ledger).ok()).contains("AUDIT PASSED");
  }

  @Test
  @Order(1)
  void aProposalIsKeptUntilTheLastOwnerHasSigned() {
    String ledger = founded("proposals", "--key", bo);
    Path adas = home.resolve("adas");
    run("propose", "close", ledger, "--out", adas).ok();
    run("sign", adas, "--key", ada).ok();
    JsonNode kept = call("proposal", "put", adas, "--json").json();
    assertThat(text(kept, "status")).isEqualTo("open");
    String hash = text(kept, "requestHash");
    assertThat(as(bo, "proposal", "list", ledger).ok()).contains(hash);
    Path bos = home.resolve("bos");
    as(bo, "proposal", "get", ledger, hash, "--out", bos).ok();
    run("sign", bos, "--key", bo).ok();
    assertThat(as(bo, "proposal", "put", bos).ok()).contains("done at jsn 2");
    call("append", ledger, "--text", "late", "--key", ada).ends(ExitCode.REFUSED);
  }

  @Test
  @Order(1)
  void anOccultHidesABody() {
    String ledger = founded("occulted");
    Path rex = home.resolve("rex.pem");
    String spki = text(run("keygen", rex, "--json").json(), "spki");
    call("member", "add", ledger, spki, "--role", "regulator", "--key", ada).ok();
    long jsn = append(ledger, "--text", "a secret");
    Path file = home.resolve("erase");
    call("propose", "occult", ledger, "--jsn", jsn, "--basis", "a court", "--out", file).ok();
    run("sign", file, "--key", ada).ok();
    run("sign", file, "--key", rex).ok();
    call("submit", file).ok();
    for (int i = 0; i < 2; i++) { // of both proxies
      assertThat(call("get", ledger, jsn).ok())
          .contains("body erased", "a court")
          .doesNotContain("a secret");
    }
    assertThat(call("audit", ledger).ok()).contains("AUDIT PASSED");
  }

  private static HttpResponse<String> http(String path) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(
                  URI.create("http://127.0.0.1:" + trial.port("proxy-1-http") + path))
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  /// What a ledger has said, by paths that name what is durable.
  private static Map<String, String> durable(String ledger) throws Exception {
    String api = "/v1/ledgers/" + ledger;
    String files = "/l/" + ledger + "/0";
    Map<String, String> said = new TreeMap<>();
    for (String path :
        List.of(
            api + "/journals/2/receipt",
            api + "/journals/2/proof?size=4",
            api + "/consistency?from=2&to=4",
            api + "/blocks/1",
            files + "/tile/0/000.p/4",
            files + "/tile/entries/000.p/4")) {
      HttpResponse<String> answer = http(path);
      assertThat(answer.statusCode()).as("%s: %s", path, answer.body()).isEqualTo(200);
      said.put(path, answer.body());
    }
    return said;
  }

  /// Last, as nothing else works meanwhile.
  @Test
  @Order(2)
  void withoutAQuorumWhatIsDurableIsReadAndAppendsResumeByThemselves() throws Exception {
    String ledger = founded("quorum", "--public");
    append(ledger, "--text", "before");
    String path = "/v1/ledgers/" + ledger;
    assertThat(http(path + "/checkpoint").statusCode()).isEqualTo(200);
    Map<String, String> before = durable(ledger);
    trial.kill("bookie-1");
    trial.kill("bookie-2");
    ClientKey key = ClientKey.load(ada);
    ClientConfig config =
        ClientConfig.of(proxies.getFirst(), home.resolve("quorum"))
            .withReader(key)
            .withCallTimeout(Duration.ofSeconds(5));
    try (TallyClient client = TallyClient.connect(config.withRetry(RetryPolicy.NONE))) {
      LedgerHandle handle = client.open(LedgerId.fromHex(ledger), key);
      assertThatThrownBy(() -> handle.append(JournalDraft.text("without")))
          .isInstanceOf(ServiceUnavailableException.class);
    }
    for (int i = 0; i < 10; i++) {
      HttpResponse<String> newest = http(path + "/checkpoint");
      assertThat(newest.statusCode()).as(newest.body()).isEqualTo(503);
      assertThat(newest.headers().firstValue("Retry-After")).isPresent();
      assertThat(durable(ledger)).isEqualTo(before);
      Thread.sleep(2_000); // bookies that are gone are noticed, and the shard is claimed again
    }
    trial.startBookie(1);
    Duration enough = Duration.ofMinutes(2);
    try (TallyClient client =
        TallyClient.connect(config.withRetry(RetryPolicy.DEFAULT.withTimeMax(enough)))) {
      client.open(LedgerId.fromHex(ledger), key).append(JournalDraft.text("after"));
    }
    assertThat(call("audit", ledger).ok()).contains("AUDIT PASSED");
  }

  @Test
  @Order(1)
  void aPurgeRemovesTheBeginning() {
    String ledger = founded("purged");
    for (int i = 0; i < 5; i++) {
      append(ledger, "--text", "journal " + i);
    }
    Path file = home.resolve("purge");
    assertThat(
            call("purge", "prepare", ledger, "--height", 3, "--recall-days", 0, "--out", file).ok())
        .contains("remove all journals below 8");
    call("purge", "sign", file, "--key", ada).ok();
    call("purge", "submit", file).ok();
    assertThat(call("get", ledger, 8).ok()).contains("journal 3");
    call("get", ledger, 4).ends(ExitCode.REFUSED);
    assertThat(call("audit", ledger).ok()).contains("AUDIT PASSED from jsn 8 on");
  }
}
