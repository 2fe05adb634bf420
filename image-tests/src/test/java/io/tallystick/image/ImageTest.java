package io.tallystick.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.model.HealthCheck;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.client.journal.JournalPage;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.containers.Container.ExecResult;

/// Goal: the image runs with all doors shut, keeps what it acknowledged when it is told to end, and
/// takes no other identity. Method: a Docker engine, the Java client and the auditor; as
/// docs/operations.md runs it, with keys as Kubernetes mounts them, and 512 MB of memory.
class ImageTest {
  private static final long MEMORY_BYTES = 512L << 20;
  private static final int UNAVAILABLE = 5;
  private static final int BY_SIGTERM = 128 + 15;

  /// Not the image's own group: the service has it besides.
  private static final int KEYS_GROUP = 20001;

  private static final int KEYS_MODE = 0440;
  private static final Duration START = Duration.ofMinutes(3);
  private static final Duration END = Duration.ofMinutes(2);
  private static final Pattern LISTENING =
      Pattern.compile("^Listening on ([^,]+),.*health and metrics on ([^, ]+)", Pattern.MULTILINE);

  private static String image;

  @TempDir private Path home;

  @BeforeAll
  static void load() throws IOException {
    image = Image.load();
  }

  /// Where a service listens.
  ///
  /// @param management URL of health and metrics
  private record Ports(String grpc, String management) {
    static Ports of(Locked service) throws Exception {
      Waiting.until(
          "the service listens",
          START,
          () -> {
            assertThat(service.runs()).as(service.getLogs()).isTrue();
            return LISTENING.matcher(service.output()).find();
          });
      Matcher line = LISTENING.matcher(service.output());
      assertThat(line.find()).isTrue();
      return new Ports(line.group(1), line.group(2));
    }

    /// @return the status; 0 if there was no answer
    int readiness() throws InterruptedException {
      URI uri = URI.create(management + "/actuator/health/readiness");
      try (HttpClient http = HttpClient.newHttpClient()) {
        return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding())
            .statusCode();
      } catch (IOException e) {
        return 0;
      }
    }

    ClientConfig config(Path trust) {
      return ClientConfig.of(grpc, trust).withRetry(RetryPolicy.NONE);
    }
  }

  private Locked service(DataVolume data, MountedFiles keys) {
    return Locked.down(image)
        .withNetworkMode("host")
        .withMount(data.name(), "/data", false)
        .withMount(keys.folder(), "/keys", true)
        .withHost(host ->
            host.withMemory(MEMORY_BYTES)
                .withMemorySwap(MEMORY_BYTES)
                .withGroupAdd(List.of(String.valueOf(KEYS_GROUP)))
                .withTmpFs(Map.of("/tmp", "rw,noexec,nosuid,size=16m,mode=1777")))
        // The image's own check, only sooner.
        .withCreateContainerCmdModifier(command ->
            command.withHealthcheck(new HealthCheck().withInterval(TimeUnit.SECONDS.toNanos(1))))
        .withCommand(
            "up", "--keys", "/keys", "--port", "0", "--http-port", "0", "--management-port", "0");
  }

  private MountedFiles keys(String name, Map<String, String> files) throws IOException {
    MountedFiles keys = new MountedFiles(home.resolve(name), KEYS_MODE, KEYS_GROUP);
    keys.write(files);
    return keys;
  }

  @Test
  void endsWithoutTheKeysThatItIsToBeGiven() throws Exception {
    try (DataVolume data = new DataVolume();
        Locked service = service(data, keys("none", Map.of()))) {
      service.start();
      assertThat(service.awaitExit(END)).as(service.getLogs()).isEqualTo(UNAVAILABLE);
      assertThat(service.errors().strip())
          .startsWith("tally: /keys/note.pem is missing")
          .contains("tally keys new --keys /keys")
          .hasLineCount(1);
      assertThat(service.output()).isEmpty();
    }
  }

  /// As the chart starts it.
  @Test
  void hasTheProcessesOfACluster() throws Exception {
    List<String> entry =
        List.of(
            "/opt/tallystick/runtime/bin/java",
            "@/opt/tallystick/cluster.args",
            "io.tallystick.cluster.process.ClusterTally");
    for (String role : List.of("zookeeper", "bookie", "server", "master", "proxy")) {
      try (Locked process =
          Locked.down(image)
              .withCreateContainerCmdModifier(command -> command.withEntrypoint(entry))
              .withCommand(role, "--help")) {
        process.start();
        assertThat(process.awaitExit(END)).as(process.getLogs()).isZero();
        assertThat(process.output()).contains("Usage: tally " + role);
      }
    }
  }

  /// With a network of its own, as `image/compose.yaml` runs it. The engine of the tests publishes
  /// no ports, so a command in the container asks.
  @Test
  void forDevelopmentItServesWithoutTlsAndSaysThatItIsInsecure() throws Exception {
    try (DataVolume data = new DataVolume();
        Locked service =
            Locked.down(image)
                .withMount(data.name(), "/data", false)
                .withNetworkMode("none")
                .withHost(host -> host.withTmpFs(Map.of("/tmp", "rw,exec,size=64m")))
                .withCommand("up", "--insecure-dev", "--address", "0.0.0.0")) {
      service.start();
      Waiting.until("it listens", START, () -> service.output().contains("0.0.0.0:4510"));
      assertThat(service.errors()).contains("WARN", "INSECURE, for development alone: no TLS");
      assertThat(tally(service, "keygen", "/data/owner.pem").getExitCode()).isZero();
      ExecResult founded = tally(service, "ledger", "create", "dev", "--key", "/data/owner.pem");
      assertThat(founded.getExitCode()).as(founded.getStderr()).isZero();
      assertThat(founded.getStdout()).contains("Founded \"dev\"");
    }
  }

  private static ExecResult tally(Locked container, String... words) throws Exception {
    return container.execInContainer(
        Stream.concat(
                Stream.of(
                    "/opt/tallystick/runtime/bin/java",
                    "-Xmx64m",
                    "@/opt/tallystick/class-path.args",
                    "io.tallystick.cli.Tally"),
                Stream.of(words))
            .toArray(String[]::new));
  }

  @Test
  void keepsWhatItAcknowledgedAndItsIdentity() throws Exception {
    ClientKey owner = ClientKey.generate();
    MountedFiles keys = keys("keys", Image.newKeys(image));
    try (DataVolume data = new DataVolume()) {
      LedgerId ledger;
      List<VerifiedReceipt> acknowledged;
      try (Locked service = service(data, keys)) {
        service.start();
        Ports ports = Ports.of(service);
        Waiting.until(
            "the engine finds it healthy",
            START,
            () -> "healthy".equals(service.state().getHealth().getStatus()));
        try (TallyClient client = TallyClient.connect(ports.config(home.resolve("trust")))) {
          LedgerHandle handle = client.createLedger("image", List.of(owner), LedgerOptions.DEFAULT);
          ledger = handle.id();
          acknowledged = endUnderLoad(service, ports, handle);
        }
      }
      refusesOtherKeys(data);
      try (Locked service = service(data, keys)) {
        service.start();
        hasAll(Ports.of(service), owner, ledger, acknowledged);
        assertThat(service.state().getOOMKilled()).isFalse();
      }
    }
  }

  /// Goal: readiness goes first, appends are still answered then, and none stays without an answer.
  private static List<VerifiedReceipt> endUnderLoad(
      Locked service, Ports ports, LedgerHandle ledger) throws Exception {
    Load load = new Load(ledger);
    Waiting.until("appends are acknowledged", START, () -> load.acknowledged() > 100);
    service.terminate();
    Waiting.until(
        "it is not ready",
        END,
        () -> {
          assertThat(service.runs()).as("it runs on, and says that it is not ready").isTrue();
          return ports.readiness() == 503;
        });
    int before = load.acknowledged();
    Waiting.until("it still answers", END, () -> load.acknowledged() > before);
    assertThat(service.awaitExit(END)).as(service.getLogs()).isEqualTo(BY_SIGTERM);
    assertThat(service.state().getOOMKilled()).isFalse();
    return load.end();
  }

  private void refusesOtherKeys(DataVolume data) throws Exception {
    try (Locked service = service(data, keys("others", Image.newKeys(image)))) {
      service.start();
      assertThat(service.awaitExit(END)).as(service.getLogs()).isEqualTo(UNAVAILABLE);
      assertThat(service.errors().strip())
          .startsWith("tally: ")
          .contains("/keys/note.pem")
          .hasLineCount(1);
    }
  }

  /// Goal: the service that comes back is the same, with every journal that it acknowledged.
  private void hasAll(Ports ports, ClientKey owner, LedgerId id, List<VerifiedReceipt> acknowledged)
      throws Exception {
    assertThat(acknowledged).hasSizeGreaterThan(100);
    ClientConfig config = ports.config(home.resolve("trust")).withReader(owner);
    try (TallyClient client = TallyClient.connect(config)) {
      LedgerHandle ledger = client.open(id, owner);
      Map<Long, Bytes> leaves = new HashMap<>();
      Optional<Jsn> next = Optional.of(new Jsn(0));
      while (next.isPresent()) {
        JournalPage page = ledger.list(next.get(), LedgerHandle.LIST_LIMIT_MAX);
        for (LedgerJournal journal : page.journals()) {
          leaves.put(journal.jsn().value(), journal.leaf().encode());
        }
        next = page.next();
      }
      for (VerifiedReceipt receipt : acknowledged) {
        assertThat(leaves.get(receipt.jsn().value())).isEqualTo(receipt.leaf());
      }
      ledger.append(JournalDraft.text("after the restart"));
      Audits.pass(config, id, acknowledged.getLast().head());
    }
  }
}
