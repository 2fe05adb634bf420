package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.testkit.Effort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// Goal: a service and an audit whose GPU fails say so once, and answer what they would without
/// one. Method: both in processes of their own on gpu-native's fake driver, of which a call fails;
/// the log is audited on the CPU, too.
class FakeGpuTest {
  private static final Path BUILD = Path.of("../gpu-native/src/test/cpp/build-fake");
  private static final Path DRIVER = Path.of("../gpu-native/target/fake-cuda").toAbsolutePath();
  private static final int JOURNALS_MAX = 200;

  /// Of the audit's calls to the driver those that fail, each in a run of its own.
  private static final int AUDITS = Effort.of(1, 40);

  /// At least so many of them are told.
  private static final int AUDITS_MIN = Effort.of(1, 10);

  @TempDir private Path home;

  @BeforeAll
  static void build() throws Exception {
    Process building =
        new ProcessBuilder(BUILD.toString(), DRIVER.toString()).redirectErrorStream(true).start();
    String said = new String(building.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(building.waitFor()).as(said).isZero();
  }

  private static String driver() {
    return DRIVER.resolve("libcuda.so.1").toString();
  }

  private ServiceProcess start(int failing) throws IOException {
    List<String> more =
        List.of("--reads", "anyone", "--gpu", "require", driver(), String.valueOf(failing));
    return ServiceProcess.start(home.resolve("data"), home.resolve("log"), 0, FakeGpu.class, more);
  }

  private static JsonNode gpu(HttpClient http, ServiceProcess service) throws Exception {
    URI health = URI.create(service.httpTarget() + "/actuator/health");
    String answer =
        http.send(HttpRequest.newBuilder(health).build(), BodyHandlers.ofString()).body();
    return JsonMapper.shared().readTree(answer).get("components").get("gpu").get("details");
  }

  /// Appends until the device is lost, and saves the log.
  ///
  /// @return the ledger
  private String lose(ServiceProcess service, Path copy) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient();
        TallyClient client =
            TallyClient.connect(ClientConfig.of(service.target(), home.resolve("trust")))) {
      assertThat(gpu(http, service).get("device").stringValue()).startsWith("Fake device");
      LedgerHandle ledger =
          client.createLedger("gpu", List.of(ClientKey.generate()), LedgerOptions.DEFAULT);
      for (int i = 0; i < JOURNALS_MAX && gpu(http, service).get("active").booleanValue(); i++) {
        ledger.append(JournalDraft.text("journal " + i));
      }
      assertThat(gpu(http, service).get("why").stringValue())
          .startsWith("Fake device")
          .contains("was lost: cu");
      ledger.append(JournalDraft.text("one more"));
      String id = ledger.id().toString();
      new Cli(service.target(), home.resolve("other").toString())
          .call("audit", id, "--save", copy, "--gpu", "off")
          .hasStatus(0);
      return id;
    }
  }

  @Test
  void aServiceAndAnAuditGoOnWithoutTheirGpu() throws Exception {
    Path copy = home.resolve("log.tlog");
    String ledger;
    try (ServiceProcess service = start(30)) {
      ledger = lose(service, copy);
    }
    assertThat(Files.readAllLines(home.resolve("log")))
        .filteredOn(line -> line.contains("BulkHashing"))
        .satisfiesExactly(
            first -> assertThat(first).contains(" INFO ", "the GPU hashes in bulk: Fake device"),
            lost -> assertThat(lost).contains(" WARN ", "the GPU failed; the CPU hashes in bulk"));
    ObjectNode without = report(Cli.run(audit(ledger, copy, "off").toArray()).json());
    assertThat(onGpu(ledger, copy, 0, "")).isEqualTo(without);
    int told = 0;
    for (int failing : IntStream.rangeClosed(3, 2 + AUDITS).toArray()) {
      assertThat(onGpu(ledger, copy, failing, "tally: the GPU failed, and the CPU goes on: cu"))
          .as("call %d fails", failing)
          .isEqualTo(without);
      if (Files.size(home.resolve("err")) == 0) {
        break; // the audit makes fewer calls
      }
      told++;
    }
    assertThat(told).isGreaterThanOrEqualTo(AUDITS_MIN);
  }

  private List<Object> audit(String ledger, Path copy, String gpu) {
    Path trust = home.resolve("nobody");
    return List.of(
        "audit", ledger, "--copy", copy, "--trust", trust, "--threads", 1, "--json", "--gpu", gpu);
  }

  private static ObjectNode report(JsonNode json) {
    ObjectNode report = (ObjectNode) json.get("audit");
    report.remove(List.of("elapsedMs", "leavesPerSecond", "newestHead"));
    return report;
  }

  /// @param told how its only line on standard error begins, if it has one; empty: it has none
  private ObjectNode onGpu(String ledger, Path copy, int failing, String told) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                FakeGpu.class.getName()));
    audit(ledger, copy, "require").forEach(word -> command.add(word.toString()));
    command.addAll(List.of(driver(), String.valueOf(failing)));
    Path err = home.resolve("err");
    Process process = new ProcessBuilder(command).redirectError(err.toFile()).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(out + Files.readString(err)).isZero();
    if (told.isEmpty()) {
      assertThat(err).isEmptyFile();
    } else {
      List<String> lines = Files.readAllLines(err);
      assertThat(lines).hasSizeLessThan(2).allSatisfy(line -> assertThat(line).startsWith(told));
    }
    return report(JsonMapper.shared().readTree(out));
  }
}
