package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.model.Bytes;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: what the service serves as public files is byte for byte what an export, made of the log
/// and by other code, holds; and an auditor needs nothing else. Method: the real service with a log
/// of more than two full tiles, whose batches straddle them.
class PublicFilesTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir private static Path home;
  private static RunningService service;
  private static Cli cli;
  private static String ledger;
  private static String prefix;
  private static Path exported;

  @BeforeAll
  static void start() throws Exception {
    service =
        TallystickService.start(LocalNode::open, ServiceProperties.of(home.resolve("data"), 0));
    cli = new Cli(service.target(), home.resolve("trust").toString());
    ClientKey key = ClientKey.generate();
    try (TallyClient client =
        TallyClient.connect(ClientConfig.of(service.target(), home.resolve("owner")))) {
      LedgerHandle handle =
          client.createLedger(
              "public",
              List.of(key),
              new LedgerOptions(true, LedgerOptions.DEFAULT.requestWindow()));
      ledger = handle.id().hex();
      for (int size : new int[] {1, 200, 150, 1, 300, 7}) {
        append(handle, size);
      }
      // Too much for one piece of a file.
      for (int i = 0; i < 4; i++) {
        byte[] large = new byte[300_000];
        new SplittableRandom(i).nextBytes(large);
        handle.append(JournalDraft.of(Bytes.wrap(large), ""));
      }
    }
    prefix = service.httpTarget() + "/l/" + ledger + "/0";
    exported = home.resolve("exported");
    cli.call("export", ledger, exported, "--bodies").hasStatus(0);
  }

  private static void append(LedgerHandle handle, int count) throws Exception {
    SplittableRandom random = new SplittableRandom(count);
    List<JournalDraft> drafts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] payload = new byte[random.nextInt(400)];
      random.nextBytes(payload);
      drafts.add(JournalDraft.of(Bytes.wrap(payload), ""));
    }
    if (count == 1) {
      handle.append(drafts.getFirst());
    } else {
      handle.appendBatch(drafts);
    }
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  private static HttpResponse<byte[]> get(String url, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HTTP.send(request.build(), BodyHandlers.ofByteArray());
  }

  @Test
  void everyFileOfAnExportIsServedTheSame() throws Exception {
    List<Path> files;
    try (var walk = Files.walk(exported)) {
      files = walk.filter(Files::isRegularFile).toList();
    }
    int compared = 0;
    for (Path file : files) {
      String path = exported.relativize(file).toString();
      if (path.equals("checkpoint") || path.startsWith("tile/") || path.startsWith("bodies/")) {
        HttpResponse<byte[]> served = get(prefix + "/" + path);
        assertThat(served.statusCode()).as(path).isEqualTo(200);
        assertThat(served.body()).as(path).isEqualTo(Files.readAllBytes(file));
        assertThat(served.headers().firstValue("Cache-Control").orElse(""))
            .as(path)
            .contains(
                !path.startsWith("tile/")
                    ? "no-"
                    : path.matches("tile/[0-9].*") ? "immutable" : "max-age=300, must-revalidate");
        compared++;
      }
    }
    // Two full and one partial of entries, attestations, bodies, hashes; a partial above; the head.
    assertThat(compared).isEqualTo(14);
  }

  @Test
  void aFullFileIsAlsoServedInPart() throws Exception {
    byte[] whole = get(prefix + "/tile/0/000").body();
    byte[] part = get(prefix + "/tile/0/000.p/7").body();
    assertThat(whole).hasSize(256 * 32).startsWith(part);
    assertThat(part).hasSize(7 * 32);
  }

  @Test
  void aStrangerAuditsTheServiceByItsUrlAlone() {
    Cli stranger = new Cli("127.0.0.1:1", home.resolve("stranger").toString());
    Cli.Result result = stranger.call("audit", prefix, "--json");
    assertThat(result.json().get("audit").get("result").stringValue()).isEqualTo("passed");
    assertThat(result.json().get("audit").get("counts").get("bodies").intValue()).isEqualTo(663);
    String otherId = prefix.replace(ledger, "0".repeat(64));
    assertThat(stranger.call("audit", otherId).status()).isNotZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/tile/0/999",
        "/tile/0/002.p/255",
        "/tile/1/000",
        "/tile/1/000.p/9",
        "/tile/7/000.p/1",
        "/tile/8/000",
        "/tile/0/0",
        "/tile/0/x000/000",
        "/tile/0/000.p/0",
        "/tile/0/000.p/256",
        "/tile/0/000.p/01",
        "/tile/0/x999/x999/x999/x999/x999/999",
        "/tile/entries/999",
        "/tile/entries/x072/x057/x594/x037/x927/936",
        "/tile/ops/000",
        "/tile/attest/",
        "/tile/",
        "/bodies/003",
        "/checkpoints",
        "/checkpoint/",
        "/checkpoint;a=b",
        "/%63heckpoint",
        "//checkpoint",
        "/tile/0/000;a=b",
        "/tile/%30/000",
        "/../0/checkpoint",
        "/../../0/checkpoint",
        "/../1/checkpoint",
        "",
        "/",
      })
  void aFileThatIsNotThereIsNotFound(String path) throws Exception {
    assertProblem(get(prefix + path), 404);
  }

  private static void assertProblem(HttpResponse<byte[]> answer, int status) {
    assertThat(answer.statusCode())
        .as(new String(answer.body(), StandardCharsets.UTF_8))
        .isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
  }

  @ParameterizedTest
  @CsvSource({
    "/l, 404",
    "/l/, 404",
    "/l/0, 404",
    "/l//0/checkpoint, 400",
    "/l/ESCAPED/0/checkpoint, 404"
  })
  void aPathWithoutALedgerIsRefused(String path, int status) throws Exception {
    String escaped = "%30".repeat(64);
    assertProblem(get(service.httpTarget() + path.replace("ESCAPED", escaped)), status);
  }

  private static HttpResponse<byte[]> send(String method, String url) throws Exception {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create(url)).method(method, BodyPublishers.noBody()).build(),
        BodyHandlers.ofByteArray());
  }

  @Test
  void whatCanBeDoneWithAFileIsToldAndNothingElseIsDone() throws Exception {
    for (String file : new String[] {"/checkpoint", "/tile/0/000", "/bodies/000"}) {
      HttpResponse<byte[]> whole = get(prefix + file);
      HttpResponse<byte[]> head = send("HEAD", prefix + file);
      assertThat(head.statusCode()).isEqualTo(200);
      assertThat(head.body()).isEmpty();
      for (String name : new String[] {"Content-Length", "Content-Type", "Cache-Control"}) {
        assertThat(head.headers().allValues(name))
            .as(name)
            .hasSize(1)
            .isEqualTo(whole.headers().allValues(name));
      }
      assertThat(head.headers().firstValueAsLong("Content-Length")).hasValue(whole.body().length);
      HttpResponse<byte[]> options = send("OPTIONS", prefix + file);
      assertThat(options.statusCode()).isEqualTo(200);
      assertThat(options.headers().allValues("Allow")).containsExactly("GET, HEAD, OPTIONS");
      for (String method : new String[] {"POST", "PUT", "DELETE", "PATCH", "FROB"}) {
        HttpResponse<byte[]> answer = send(method, prefix + file);
        assertThat(answer.statusCode()).as(method).isEqualTo(405);
        assertThat(answer.headers().allValues("Allow")).containsExactly("GET, HEAD, OPTIONS");
        assertThat(new String(answer.body(), StandardCharsets.UTF_8))
            .contains("\"method_not_allowed\"", method + " is not allowed here");
      }
    }
  }

  @Test
  void filesAreTimedByTheirRoutes() throws Exception {
    var _ = get(prefix + "/checkpoint");
    var _ = get(prefix + "/tile/0/000");
    var _ = get(prefix + "/bodies/999");
    String meters =
        new String(
            get(service.httpTarget() + "/actuator/prometheus").body(), StandardCharsets.UTF_8);
    assertThat(meters.lines().filter(line -> line.startsWith("http_server_requests_seconds_count")))
        .anyMatch(line -> line.contains("/{strand}/checkpoint\"") && line.contains("\"200\""))
        .anyMatch(line -> line.contains("/{strand}/tile/**\"") && line.contains("\"200\""))
        .anyMatch(line -> line.contains("/{strand}/bodies/**\"") && line.contains("\"404\""))
        .noneMatch(line -> line.contains(ledger));
  }

  @Test
  void thoseOfALedgerThatIsNotPublicAreForItsMembers() throws Exception {
    Path key = home.resolve("owner.pem");
    Cli.run("keygen", key).hasStatus(0);
    String secret =
        cli.call("ledger", "create", "private", "--key", key, "--json")
            .json()
            .get("ledgerId")
            .stringValue();
    String url = service.httpTarget() + "/l/" + secret + "/0";
    String token = Cli.run("token", "--key", key, secret).hasStatus(0).out().strip();
    for (String path : new String[] {"/checkpoint", "/tile/entries/000.p/2", "/bodies/000.p/2"}) {
      HttpResponse<byte[]> answer = get(url + path);
      assertThat(answer.statusCode()).isEqualTo(401);
      assertThat(new String(answer.body(), StandardCharsets.UTF_8)).contains("token_required");
      HttpResponse<byte[]> shown = get(url + path, "Authorization", "Bearer " + token);
      assertThat(shown.statusCode()).isEqualTo(200);
      assertThat(shown.headers().firstValue("Cache-Control").orElse("")).doesNotContain("public");
    }
    Cli stranger = new Cli("127.0.0.1:1", home.resolve("stranger").toString());
    assertThat(stranger.call("audit", url).hasStatus(ExitCode.UNAVAILABLE).err())
        .contains("status 401: it needs the token of a member");
    stranger.withReader(key).call("audit", url).hasStatus(0);
    String open =
        cli.call("ledger", "create", "open", "--key", key, "--public", "--json")
            .json()
            .get("ledgerId")
            .stringValue();
    assertThat(get(service.httpTarget() + "/l/" + open + "/0/checkpoint").statusCode())
        .isEqualTo(200);
  }
}
