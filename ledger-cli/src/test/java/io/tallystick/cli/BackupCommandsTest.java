package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.model.LedgerId;
import io.tallystick.node.witnessed.WitnessedLedgers;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.proxy.WitnessProperties;
import io.tallystick.server.host.LocalNode;
import io.tallystick.testkit.TestWitness;
import io.tallystick.testkit.Waiting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: an operator makes a backup of a service that runs and gets all of it back: journals,
/// clues, states, what was removed and what a purge left; and nothing is taken back in silence.
/// Method: the command line against a real service, appends beside the backup, audits before and
/// after.
class BackupCommandsTest {
  private static final String SECRET = "Ada lives at 1 Fleet St";

  @TempDir private Path home;
  private RunningService service;
  private Cli cli;
  private Path ada;
  private String ledger = "";
  private String purged = "";

  @BeforeEach
  void fill() throws Exception {
    ada = home.resolve("ada.pem");
    Cli.run("keygen", ada).hasStatus(0);
    start("data");
    ledger = create("kept", "--state");
    purged = create("purged");
    write(0);
  }

  private void write(int i) {
    append(ledger, "journal " + i, "clue " + i % 2);
    append(purged, "old " + i, "clue");
    cli.call("state", "put", ledger, "key " + i, "value " + i, "--key", ada).hasStatus(0);
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private void start(String data) throws Exception {
    service = TallystickService.start(LocalNode::open, ServiceProperties.of(home.resolve(data), 0));
    cli = new Cli(service.target(), home.resolve("trust").toString()).withReader(ada);
  }

  private String create(String name, Object... words) {
    List<Object> all = new ArrayList<>(List.of("ledger", "create", name, "--key", ada, "--json"));
    all.addAll(List.of(words));
    return cli.call(all.toArray()).json().get("ledgerId").stringValue();
  }

  private long append(String to, String text, String clue) {
    return cli.call("append", to, "--text", text, "--clue", clue, "--key", ada, "--json")
        .json()
        .get("journals")
        .get(0)
        .get("jsn")
        .longValue();
  }

  private Cli.Result backup(Path to, Object... words) {
    List<Object> all = new ArrayList<>(List.of("backup", to, "--data", home.resolve("data")));
    all.addAll(List.of(words));
    return Cli.run(all.toArray());
  }

  private Cli.Result restore(Path from, String data, Object... words) {
    List<Object> all = new ArrayList<>(List.of("restore", from, home.resolve(data)));
    all.addAll(List.of(words));
    return Cli.run(all.toArray());
  }

  private Path keys() {
    return home.resolve("data/keys");
  }

  /// A journal's body is erased, and the beginning of the other ledger.
  private long occultAndPurge() throws Exception {
    Path rex = home.resolve("rex.pem");
    String spki = Cli.run("keygen", rex, "--json").json().get("spki").stringValue();
    cli.call("member", "add", ledger, spki, "--role", "regulator", "--key", ada).hasStatus(0);
    long secret = append(ledger, SECRET, "clue 0");
    Path file = home.resolve("occult");
    cli.call("propose", "occult", ledger, "--jsn", secret, "--basis", "law", "--out", file)
        .hasStatus(0);
    Cli.run("sign", file, "--key", ada).hasStatus(0);
    Cli.run("sign", file, "--key", rex).hasStatus(0);
    cli.call("submit", file).hasStatus(0);
    Path purge = home.resolve("purge");
    cli.call("purge", "prepare", purged, "--height", 3, "--recall-days", 0, "--out", purge)
        .hasStatus(0);
    cli.call("purge", "sign", purge, "--key", ada).hasStatus(0);
    long jsn = cli.call("purge", "submit", purge, "--json").json().get("jsn").longValue();
    Path certificate = home.resolve("certificate");
    Waiting.until(
        "the bodies are erased",
        () -> {
          var _ = cli.call("certificate", purged, jsn, "--save", certificate);
          return Files.exists(certificate);
        });
    return secret;
  }

  private void assertAudits() {
    assertThat(cli.call("audit", ledger).hasStatus(0).out()).contains("AUDIT PASSED");
    assertThat(cli.call("audit", purged).hasStatus(0).out()).contains("AUDIT PASSED from jsn");
  }

  @Test
  void allComesBack() throws Exception {
    for (int i = 1; i < 4; i++) {
      write(i);
    }
    long secret = occultAndPurge();
    Path receipt = home.resolve("receipt");
    cli.call("get", ledger, 2, "--receipt", receipt).hasStatus(0);
    assertAudits();
    Path to = home.resolve("backup");
    AtomicBoolean ended = new AtomicBoolean();
    Cli beside = cli;
    Thread appending =
        Thread.ofPlatform()
            .start(() -> {
              for (int i = 0; !ended.get(); i++) {
                beside.call("append", ledger, "--text", "beside " + i, "--key", ada);
              }
            });
    JsonNode taken = backup(to, "--json").json();
    ended.set(true);
    appending.join();
    assertThat(taken.get("ledgers")).hasSize(2);
    assertThat(taken.get("damagedFrames").intValue()).isZero();
    assertThat(Files.readString(to.resolve("manifest")))
        .startsWith("tallystick-backup 2\n")
        .contains(ledger, purged, " kept\n");
    try (Stream<Path> files = Files.walk(to)) {
      assertThat(files.map(Path::toString))
          .noneMatch(name -> name.endsWith(".pem") || name.endsWith(".slots"));
    }
    service.close();
    assertThat(restore(to, "again", "--keys", keys()).hasStatus(ExitCode.REFUSED).err())
        .contains("nothing was restored (rollback)", ledger + " at ", "--accept-rollback");
    assertThat(home.resolve("again")).doesNotExist();
    assertThat(restore(to, "again", "--keys", keys(), "--accept-rollback").hasStatus(0).out())
        .contains("Restored 2 ledgers into ", ledger, "  kept");
    start("again");
    cli = new Cli(service.target(), home.resolve("trust of others").toString()).withReader(ada);
    assertAudits();
    assertThat(cli.call("get", ledger, secret).hasStatus(0).out()).contains("body erased");
    assertThat(cli.call("state", "get", ledger, "key 1").hasStatus(0).out()).contains("value 1");
    assertThat(
            cli.call("lineage", ledger, "clue 1", "--verify", "--json")
                .json()
                .get("complete")
                .booleanValue())
        .isTrue();
    cli.call("verify", ledger, "--receipt", receipt).hasStatus(0);
    append(ledger, "goes on", "clue 1");
    append(purged, "goes on", "clue");
    cli.call("state", "put", ledger, "key 1", "another", "--key", ada).hasStatus(0);
    assertAudits();
  }

  @Test
  void theLastBackupIsRestoredWithoutAQuestion() throws Exception {
    Path to = home.resolve("backup");
    assertThat(backup(to, "--last").hasStatus(ExitCode.FILE).err())
        .contains("is in use by process");
    service.close();
    showToAWitness();
    backup(home.resolve("older")).hasStatus(0);
    assertThat(
            restore(home.resolve("older"), "never", "--keys", keys(), "--accept-rollback")
                .hasStatus(ExitCode.REFUSED)
                .err())
        .contains("(witnessed)", ledger + " at ")
        .doesNotContain(purged);
    assertThat(backup(to, "--last").hasStatus(0).out()).contains(", witnessed  kept");
    assertThat(Cli.run("up", "--data", home.resolve("data"), "--port", 0).status())
        .isEqualTo(ExitCode.UNAVAILABLE);
    restore(to, "moved", "--keys", keys()).hasStatus(0);
    assertThat(WitnessedLedgers.read(home.resolve("moved")))
        .containsExactly(LedgerId.fromHex(ledger));
    start("moved");
    append(ledger, "goes on", "clue 1");
    assertThat(cli.call("audit", ledger).hasStatus(0).out()).contains("AUDIT PASSED");
  }

  /// Nobody answers there; but somebody may have.
  private void showToAWitness() throws Exception {
    String witness = TestWitness.of("one.example").key().vkey() + " http://127.0.0.1:1";
    Duration second = Duration.ofSeconds(1);
    TallystickService.start(
            LocalNode::open,
            ServiceProperties.of(home.resolve("data"), 0)
                .withWitness(
                    new WitnessProperties(List.of(witness), List.of(ledger), 1, second, second)))
        .close();
  }

  @Test
  void whatCannotBeRestoredIsNamed() throws Exception {
    Path to = home.resolve("backup");
    backup(to).hasStatus(0);
    assertThat(backup(to).hasStatus(ExitCode.FILE).err()).contains(to.toString(), "not empty");
    assertThat(backup(home.resolve("data/inside")).hasStatus(ExitCode.FILE).err())
        .contains("one in the other");
    assertThat(Cli.run("backup", to, "--data", home.resolve("none")).hasStatus(6).err())
        .contains("none/meta does not exist");
    service.close();
    assertRefused(ExitCode.FILE, "(no_backup)", home, keys());
    Path others = home.resolve("others");
    Cli.run("keygen", home.resolve("key.pem")).hasStatus(0);
    Files.createDirectory(others);
    assertRefused(ExitCode.FILE, "note.pem is missing", to, others);
    Files.copy(keys().resolve("note.pem"), others.resolve("receipt.pem"));
    Files.copy(keys().resolve("receipt.pem"), others.resolve("note.pem"));
    assertRefused(ExitCode.FILE, "(keys): ", to, others);
    Files.createDirectory(home.resolve("full"));
    Files.writeString(home.resolve("full/file"), "x");
    assertThat(
            restore(to, "full", "--keys", keys(), "--accept-rollback")
                .hasStatus(ExitCode.FILE)
                .err())
        .contains("(not_empty)", "it has file");
    assertDamageIsFound(to);
    restore(to, "restored", "--keys", keys(), "--accept-rollback").hasStatus(0);
  }

  private void assertRefused(int status, String how, Path from, Path keys) {
    assertThat(
            restore(from, "restored", "--keys", keys, "--accept-rollback").hasStatus(status).err())
        .contains("nothing was restored", how);
    assertThat(home.resolve("restored")).doesNotExist();
  }

  /// One byte of each file, its end, and the whole.
  private void assertDamageIsFound(Path backup) throws Exception {
    List<Path> files;
    try (Stream<Path> all = Files.walk(backup)) {
      files = all.filter(Files::isRegularFile).filter(file -> !file.endsWith("LOCK")).toList();
    }
    for (Path file : files) {
      byte[] whole = Files.readAllBytes(file);
      byte[] flipped = whole.clone();
      flipped[whole.length / 2] ^= 1;
      Files.write(file, flipped);
      assertDamaged(backup, file);
      Files.write(file, Arrays.copyOf(whole, whole.length - 1));
      assertDamaged(backup, file);
      Files.write(file, whole);
    }
    Path manifest = backup.resolve("manifest");
    String lines = Files.readString(manifest);
    Files.writeString(manifest, lines.replace("tallystick-backup 2", "tallystick-backup 3"));
    assertThat(
            restore(backup, "restored", "--keys", keys(), "--accept-rollback")
                .hasStatus(ExitCode.FILE)
                .err())
        .contains("(newer_format)", "is of format 3, this software reads 2");
    Files.writeString(manifest, lines);
  }

  private void assertDamaged(Path backup, Path file) {
    assertThat(
            restore(backup, "restored", "--keys", keys(), "--accept-rollback")
                .hasStatus(ExitCode.EVIDENCE)
                .err())
        .as(file.toString())
        .contains("(damaged)", file.toString());
  }
}
