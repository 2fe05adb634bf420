package io.tallystick.cli;

import static io.tallystick.cli.terminal.ExitCode.UNAVAILABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.process.Folders;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import io.tallystick.testkit.Waiting;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a service that cannot start says why in one plain line, ends with status 5, and has
/// repaired nothing behind the operator's back. Method: `tally up` in this process on data
/// directories with one thing wrong each.
class StartFailureTest {
  @TempDir private Path home;

  private String up() {
    return up(0);
  }

  private String up(int port) {
    Cli.Result result = quietly("up", "--data", data(), "--port", port, "--http-port", 0);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).startsWith("tally: ").doesNotContain("Exception", "bean", "null");
    assertThat(result.err().strip().lines().count()).as(result.err()).isEqualTo(1);
    return result.err();
  }

  /// What the command says is all there is: no part of the framework tells the same at length.
  private static Cli.Result quietly(Object... arguments) {
    PrintStream standardError = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      Cli.Result result = Cli.run(arguments).hasStatus(UNAVAILABLE);
      assertThat(log.toString(StandardCharsets.UTF_8)).doesNotContain("Tomcat", "Exception");
      return result;
    } finally {
      System.setErr(standardError);
    }
  }

  private Path data() {
    return home.resolve("data");
  }

  private RunningService start() throws Exception {
    return TallystickService.start(LocalNode::open, ServiceProperties.of(data(), 0));
  }

  @Test
  void tellsThatTheDataDirectoryIsInUse() throws Exception {
    try (RunningService running = start()) {
      assertThat(up()).contains(data().toString());
      try (TallyClient client = client(running)) {
        assertThat(client.serviceDescription().authority().value()).isEqualTo("localhost");
      }
    }
  }

  @Test
  void tellsThatAKeyIsMissingAndNeverMakesItAnew() throws Exception {
    start().close();
    for (String key : new String[] {"note.pem", "receipt.pem"}) {
      Path file = data().resolve("keys").resolve(key);
      byte[] kept = Files.readAllBytes(file);
      Files.delete(file);
      assertThat(up()).contains(key, "restore it from your copy of the keys");
      assertThat(Files.exists(file)).isFalse();
      Files.write(file, kept);
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }
    start().close();
  }

  @Test
  void tellsHowKeysAreMadeThatAreToBeGivenAndMakesNone() {
    Path keys = home.resolve("given");
    Cli.Result result = quietly("up", "--data", data(), "--port", 0, "--keys", keys);
    assertThat(result.err())
        .startsWith("tally: " + keys.resolve("note.pem") + " is missing")
        .contains("tally keys new --keys " + keys)
        .hasLineCount(1);
    assertThat(keys).doesNotExist();
    assertThat(data().resolve("keys")).doesNotExist();
  }

  @Test
  void tellsThatAKeyIsOpenToOthers() throws Exception {
    start().close();
    Path key = data().resolve("keys").resolve("receipt.pem");
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(up()).contains("receipt.pem is open to others (rw-r--r--); make it 0600");
  }

  @Test
  void tellsThatTheKeysFolderIsMissing() throws Exception {
    appended();
    Folders.delete(data().resolve("keys"));
    assertThat(up()).contains("key");
    assertThat(Files.exists(data().resolve("keys").resolve("note.pem"))).isFalse();
  }

  @Test
  void tellsThatTheStreamIsCorrupt() throws Exception {
    appended();
    Path segment = segment();
    try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(new byte[64]), 0);
    }
    assertThat(up()).contains(segment.getFileName().toString());
  }

  @Test
  void tellsThatItListensOnLoopbackOnly() {
    Cli.Result result = Cli.run("up", "--data", data(), "--port", 0, "--address", "0.0.0.0");
    assertThat(result.status()).isIn(ExitCode.USAGE, UNAVAILABLE);
    assertThat(result.err()).contains("not a loopback address");
    assertThat(result.err().strip().lines().count()).isEqualTo(1);
    assertThat(Files.exists(data())).isFalse();
  }

  @Test
  void tellsThatAnAddressOfIpv6NeedsTheSetting() {
    Cli.Result result = Cli.run("up", "--data", data(), "--port", 0, "--address", "::1");
    assertThat(result.hasStatus(ExitCode.USAGE).err())
        .contains("tallystick.address is ::1", "needs tallystick.ipv6")
        .hasLineCount(1);
    assertThat(data()).doesNotExist();
  }

  /// The JVM uses one version of IP or both from its first class of the network on.
  @Test
  void listensOnIpv6WhereThatIsTurnedOn() throws Exception {
    Path log = home.resolve("log");
    List<String> more = List.of("--ipv6", "--address", "::1", "--gpu", "off");
    try (ServiceProcess service = ServiceProcess.start(data(), log, 0, Tally.class, more)) {
      Waiting.untilListening(log);
      assertThat(log)
          .content()
          .contains("\nListening on [::1]:" + service.port() + ", REST on http://[::1]:");
    }
    assertThat(log).content().containsSubsequence("Tallystick stops", "Tallystick has stopped");
  }

  /// No device is there where tests run.
  @Test
  void tellsThatARequiredGpuIsMissing() {
    Cli.Result result = quietly("up", "--data", data(), "--port", 0, "--gpu", "require");
    assertThat(result.err())
        .startsWith("tally: a GPU is required, and none works: ")
        .hasLineCount(1);
    assertThat(data().resolve("stream")).doesNotExist();
  }

  /// As that of commands that hash in bulk without a service.
  @Test
  void commandsTellThatARequiredGpuIsMissing() {
    Object[][] commands = {
      {"rebuild", "--index", "clue", "--data", data()},
      {"restore", home.resolve("backup"), data(), "--keys", home},
      {"audit", "00".repeat(32)},
    };
    for (Object[] command : commands) {
      List<Object> words = new ArrayList<>(List.of(command));
      words.addAll(List.of("--gpu", "require"));
      Cli.Result result = Cli.run(words.toArray()).hasStatus(UNAVAILABLE);
      assertThat(result.err())
          .startsWith("tally: a GPU is required, and none works: ")
          .hasLineCount(1);
    }
    assertThat(data()).doesNotExist();
  }

  @Test
  void refusesAnotherWordForTheGpu() {
    Cli.Result result = Cli.run("up", "--data", data(), "--port", 0, "--gpu", "always");
    assertThat(result.hasStatus(ExitCode.USAGE).err())
        .isEqualToIgnoringNewLines("tally: --gpu is auto, off or require, not always");
    Cli.Result tree = Cli.run("audit", "--log-key", "key", "--tiles", home, "--gpu", "require");
    assertThat(tree.hasStatus(ExitCode.USAGE).err()).contains("--gpu require").hasLineCount(1);
    assertThat(data()).doesNotExist();
  }

  @Test
  void tellsThatThePortIsInUse() throws Exception {
    try (RunningService other =
        TallystickService.start(LocalNode::open, ServiceProperties.of(home.resolve("other"), 0))) {
      assertThat(up(other.port())).contains("is in use or cannot be bound");
    }
  }

  @Test
  void tellsThatTheDataDirectoryCannotBeMade() throws Exception {
    Files.writeString(data(), "a file");
    assertThat(up()).contains("cannot use " + data(), "no folder");
    for (String impossible :
        new String[] {"/proc/no/such/data", data().resolve("below").toString()}) {
      Cli.Result result = quietly("up", "--data", impossible, "--port", 0);
      assertThat(result.err())
          .startsWith("tally: cannot use ")
          .containsPattern(": [a-zA-Z ]+")
          .hasLineCount(1);
    }
  }

  /// A frame of some journals, in a service that has ended in order.
  private void appended() throws Exception {
    try (RunningService running = start();
        TallyClient client = client(running)) {
      LedgerHandle ledger =
          client.createLedger("x", List.of(ClientKey.generate()), LedgerOptions.DEFAULT);
      ledger.append(JournalDraft.text("x"));
    }
  }

  private TallyClient client(RunningService running) {
    return TallyClient.connect(ClientConfig.of(running.target(), home.resolve("trust")));
  }

  private Path segment() throws Exception {
    try (Stream<Path> files = Files.walk(data().resolve("stream"))) {
      return files
          .filter(file -> file.getFileName().toString().matches(".*\\d.*"))
          .filter(Files::isRegularFile)
          .max(Comparator.comparingLong(file -> file.toFile().length()))
          .orElseThrow();
    }
  }
}
