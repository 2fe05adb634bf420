package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.book.BookKeeperLogs;
import io.tallystick.cluster.book.TestBookies;
import io.tallystick.cluster.process.ClusterCommands;
import io.tallystick.cluster.process.EmbeddedCluster;
import io.tallystick.cluster.transfer.ClusterImport;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import io.tallystick.testkit.Waiting;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Goal: a service's ledgers enter a cluster, a cluster is backed up and comes back elsewhere, and
/// whoever has verified them before goes on with what he knows. Method: the command line, one trust
/// directory all the way, audits before and after; a ledger with a state and an occult, and a
/// purged one.
@Timeout(value = 6, unit = TimeUnit.MINUTES)
@Tag("long")
class ClusterTransferTest {
  private static final String SECRET = "Ada lives at 1 Fleet St";

  @TempDir private Path home;
  private String service = "";
  private Path ada = Path.of("");
  private String kept = "";
  private String purged = "";
  private long secret;

  private record Ended(int status, String out, String err) {
    Ended ends(int expected) {
      assertThat(status).as("%s%n%s", out, err).isEqualTo(expected);
      return this;
    }

    JsonNode json() {
      ends(ExitCode.OK);
      return JsonMapper.builder().build().readTree(out);
    }
  }

  private static Ended run(Object... arguments) {
    String[] words = Arrays.stream(arguments).map(Object::toString).toArray(String[]::new);
    CommandLine command = Tally.commandLine(words);
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    command.setOut(new PrintWriter(out, true));
    command.setErr(new PrintWriter(err, true));
    int status = command.execute(words);
    return new Ended(status, out.toString(), err.toString());
  }

  private Ended call(Object... arguments) {
    List<Object> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--service", service, "--trust", home.resolve("trust")));
    all.addAll(List.of("--reader-key", ada));
    return run(all.toArray());
  }

  private long append(String to, String text, String clue) {
    return call("append", to, "--text", text, "--clue", clue, "--key", ada, "--json")
        .json()
        .get("journals")
        .get(0)
        .get("jsn")
        .longValue();
  }

  private String create(String name, Object... words) {
    List<Object> all = new ArrayList<>(List.of("ledger", "create", name, "--key", ada, "--json"));
    all.addAll(List.of(words));
    return call(all.toArray()).json().get("ledgerId").stringValue();
  }

  private void write(int i) {
    append(kept, "journal " + i, "clue " + i % 2);
    append(purged, "old " + i, "clue");
    call("state", "put", kept, "key " + i, "value " + i, "--key", ada).ends(0);
  }

  /// A ledger with a state, of which a body is occulted, and one of which the beginning is purged.
  private void fill() throws Exception {
    ada = home.resolve("ada.pem");
    run("keygen", ada).ends(0);
    kept = create("kept", "--state");
    purged = create("purged", "--state");
    call("state", "put", purged, "early", "kept in an image", "--key", ada).ends(0);
    for (int i = 0; i < 4; i++) {
      write(i);
    }
    Path rex = home.resolve("rex.pem");
    String spki = run("keygen", rex, "--json").json().get("spki").stringValue();
    call("member", "add", kept, spki, "--role", "regulator", "--key", ada).ends(0);
    secret = append(kept, SECRET, "clue 0");
    occult(secret, rex);
    Path purge = home.resolve("purge");
    call("purge", "prepare", purged, "--height", 3, "--recall-days", 0, "--out", purge).ends(0);
    call("purge", "sign", purge, "--key", ada).ends(0);
    long jsn = call("purge", "submit", purge, "--json").json().get("jsn").longValue();
    awaitCertificate(purged, jsn);
  }

  private void occult(long jsn, Path rex) throws Exception {
    Path file = home.resolve("occult-" + jsn);
    call("propose", "occult", kept, "--jsn", jsn, "--basis", "law", "--out", file).ends(0);
    run("sign", file, "--key", ada).ends(0);
    run("sign", file, "--key", rex).ends(0);
    long done = call("submit", file, "--json").json().get("jsn").longValue();
    awaitCertificate(kept, done);
  }

  private void awaitCertificate(String ledger, long jsn) throws Exception {
    Path certificate = home.resolve("certificate-" + jsn);
    Waiting.until(
        "the bodies are erased",
        () -> {
          var _ = call("certificate", ledger, jsn, "--save", certificate);
          return Files.exists(certificate);
        });
  }

  private void assertAudits() {
    assertThat(call("audit", kept).ends(0).out()).contains("AUDIT PASSED");
    assertThat(call("audit", purged).ends(0).out()).contains("AUDIT PASSED from jsn");
  }

  private void assertAllIsThere(Path receipt) {
    call("verify", kept, "--receipt", receipt).ends(0);
    assertThat(call("get", kept, secret).ends(0).out()).contains("body erased");
    assertThat(call("state", "get", kept, "key 1").ends(0).out()).contains("value 1");
    assertThat(call("state", "get", purged, "early").ends(0).out()).contains("kept in an image");
    assertThat(
            call("lineage", kept, "clue 1", "--verify", "--json")
                .json()
                .get("complete")
                .booleanValue())
        .isTrue();
    assertAudits();
  }

  @Test
  void aServiceEntersAClusterWithAllThatItHas() throws Exception {
    Path data = home.resolve("data");
    Path receipt = home.resolve("receipt");
    try (RunningService up =
        TallystickService.start(LocalNode::open, ServiceProperties.of(data, 0))) {
      service = up.target();
      fill();
      call("get", kept, 2, "--receipt", receipt).ends(0);
      assertAllIsThere(receipt);
    }
    Path keys = data.resolve("keys");
    try (TestBookies bookies = TestBookies.start(home.resolve("bookies"), 3)) {
      EmbeddedCluster.init(bookies, "main", keys, 1);
      EmbeddedCluster.init(bookies, "other", home.resolve("other keys"), 1);
      assertThat(importInto(bookies, "other", data, keys))
          .extracting(ClusterCommands.Ended::status, ClusterCommands.Ended::err)
          .first()
          .isEqualTo(ExitCode.REFUSED);
      assertThat(importInto(bookies, "main", data, home.resolve("other keys")).status())
          .isEqualTo(ExitCode.FILE);
      try (EmbeddedCluster cluster =
          EmbeddedCluster.start(bookies, "main", home.resolve("main"), keys)) {
        service = cluster.target();
        String own = create("own");
        importIsCutShort(bookies, data, keys);
        ClusterCommands.Ended imported = importInto(bookies, "main", data, keys);
        assertThat(imported.status()).as(imported.err()).isEqualTo(ExitCode.OK);
        assertThat(imported.out()).contains("Shard 1 of cluster main has 2 ledgers");
        Waiting.until("the shard is served", () -> call("get", kept, 2).status() == 0);
        assertAllIsThere(receipt);
        write(9);
        append(own, "beside", "clue");
        long another = append(kept, "another secret", "clue 0");
        occult(another, home.resolve("rex.pem"));
        assertAllIsThere(receipt);
        assertThat(importInto(bookies, "main", data, keys).status()).isEqualTo(ExitCode.OK);
      }
    }
    assertThat(run("up", "--data", data, "--port", 0).ends(ExitCode.UNAVAILABLE).err())
        .contains("goes on elsewhere");
  }

  @Test
  void aClusterIsBackedUpWhileItRunsAndComesBack() throws Exception {
    Path keys = home.resolve("keys");
    Path receipt = home.resolve("receipt");
    try (TestBookies bookies = TestBookies.start(home.resolve("bookies"), 3)) {
      EmbeddedCluster.init(bookies, "main", keys, 2);
      try (EmbeddedCluster main =
          EmbeddedCluster.start(bookies, "main", home.resolve("main"), keys)) {
        service = main.target();
        fill();
        call("get", kept, 2, "--receipt", receipt).ends(0);
        Path older = home.resolve("older");
        backUpUnderLoad(bookies, older);
        assertDamageIsFound(bookies, older);
        assertThat(restore(bookies, older, "again").status()).isEqualTo(ExitCode.REFUSED);
        append(kept, "the old one goes on", "clue 1");

        Path newest = home.resolve("newest");
        assertThat(backup(bookies, newest).status()).isEqualTo(ExitCode.OK);
        ClusterCommands.Ended restored = restore(bookies, newest, "again");
        assertThat(restored.status()).as(restored.err()).isEqualTo(ExitCode.OK);
        assertThat(restore(bookies, newest, "again").err()).contains("there is a cluster again");
        assertThat(restore(bookies, newest, "twice").err()).contains("goes on in cluster again");
        assertThat(backup(bookies, home.resolve("closed")).out()).contains(": 2 ledgers in ");
        assertThat(call("append", kept, "--text", "lost", "--key", ada, "--timeout", "5s").status())
            .isNotEqualTo(0);
      }
      try (EmbeddedCluster again =
          EmbeddedCluster.start(bookies, "again", home.resolve("again"), keys)) {
        service = again.target();
        Waiting.until("the shards are served", () -> call("get", kept, 2).status() == 0);
        assertAllIsThere(receipt);
        write(9);
        assertAllIsThere(receipt);
      }
    }
  }

  private void backUpUnderLoad(TestBookies bookies, Path to) throws Exception {
    AtomicBoolean ended = new AtomicBoolean();
    Thread appending =
        Thread.ofPlatform()
            .start(() -> {
              for (int i = 0; !ended.get(); i++) {
                append(kept, "beside " + i, "clue 1");
              }
            });
    ClusterCommands.Ended taken = backup(bookies, to);
    ended.set(true);
    appending.join();
    assertThat(taken.status()).as(taken.err()).isEqualTo(ExitCode.OK);
    assertThat(taken.out()).contains("Backed up cluster main", ": 2 ledgers in ");
    try (Stream<Path> files = Files.walk(to)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
            .as(file.toString())
            .doesNotContain(SECRET);
      }
    }
  }

  private void assertDamageIsFound(TestBookies bookies, Path backup) throws Exception {
    List<Path> files;
    try (Stream<Path> all = Files.walk(backup)) {
      files =
          all.filter(file -> file.endsWith("cluster") || file.toString().endsWith(".seg")).toList();
    }
    assertThat(files).hasSizeGreaterThanOrEqualTo(2);
    for (Path file : files) {
      byte[] whole = Files.readAllBytes(file);
      byte[] flipped = whole.clone();
      flipped[whole.length / 2] ^= 1;
      Files.write(file, flipped);
      ClusterCommands.Ended ended = restore(bookies, backup, "again", "--accept-rollback");
      assertThat(ended.status()).isEqualTo(ExitCode.EVIDENCE);
      assertThat(ended.err()).contains("(damaged)", file.toString());
      Files.write(file, whole);
    }
  }

  private static ClusterCommands.Ended backup(TestBookies bookies, Path to) {
    return ClusterCommands.run(
        "cluster",
        "backup",
        "--zookeeper",
        bookies.zooKeeper().address(),
        "--cluster",
        "main",
        "--out",
        to);
  }

  private ClusterCommands.Ended restore(
      TestBookies bookies, Path from, String cluster, Object... words) {
    List<Object> all =
        new ArrayList<>(
            List.of(
                "cluster",
                "restore",
                "--zookeeper",
                bookies.zooKeeper().address(),
                "--cluster",
                cluster,
                "--from",
                from,
                "--keys",
                home.resolve("keys"),
                "--work",
                home.resolve("work")));
    all.addAll(List.of(words));
    return ClusterCommands.run(all.toArray());
  }

  /// The shard is made and nobody knows of it.
  private void importIsCutShort(TestBookies bookies, Path data, Path keys) throws Exception {
    try (ClusterConnection connection =
            ClusterConnection.open(bookies.zooKeeper().address(), "main");
        BookKeeperLogs logs = bookies.connect()) {
      ClusterImport cut =
          new ClusterImport(
              connection, logs, SignatureProviders.best(), BatchHasher.cpu(), new SecureRandom());
      assertThatThrownBy(() ->
              cut.run(
                  data,
                  keys,
                  OptionalInt.empty(),
                  (_, _) -> {
                    throw new IOException("cut short");
                  }))
          .hasMessage("cut short");
      assertThat(connection.identity().shards()).isEqualTo(1);
    }
    assertThat(call("get", kept, 2).status()).isNotZero();
  }

  private static ClusterCommands.Ended importInto(
      TestBookies bookies, String cluster, Path data, Path keys) {
    return ClusterCommands.run(
        "cluster",
        "import",
        "--zookeeper",
        bookies.zooKeeper().address(),
        "--cluster",
        cluster,
        "--data",
        data,
        "--keys",
        keys);
  }
}
