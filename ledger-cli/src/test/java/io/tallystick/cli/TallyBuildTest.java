package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a build of the script is whole or not there, one at a time, and takes nothing away from
/// what runs. Method: the script in a small checkout, without HOME, with a Maven that writes the
/// number of its call into a jar and a JVM that prints the jars of its class path.
class TallyBuildTest {
  private static final long SECONDS_MAX = 60;

  /// Leaves half a build behind as long as there is a file `slow`.
  private static final String MAVEN =
      """
      #!/usr/bin/env bash
      set -e
      echo "$*" >>"$ROOT/calls"
      cli=$ROOT/ledger-cli/target bench=$ROOT/benchmarks/target
      mkdir -p "$cli/lib"
      echo half >"$cli/ledger-cli-1.jar"
      echo $$ >"$ROOT/maven.pid"
      while [ -e "$ROOT/slow" ]; do sleep 0.05; done
      [ ! -e "$ROOT/failing" ] || { echo '[ERROR] it does not compile'; exit 1; }
      echo "build $(wc -l <"$ROOT/calls")" | tee "$cli/lib/a.jar" >"$cli/ledger-cli-1.jar"
      if [[ "$*" == *benchmarks* ]]; then
        mkdir -p "$bench/lib"
        echo bench | tee "$bench/lib/kit.jar" "$bench/lib/a.jar" >"$bench/benchmarks-1.jar"
      fi
      """;

  /// Of `up` only when there is a file `stop`.
  private static final String JVM =
      """
      #!/usr/bin/env bash
      while [ "$1" != -cp ]; do shift; done
      IFS=: read -ra jars <<<"$2"
      if [ "${4:-}" = up ]; then
        echo "$PPID" >"$ROOT/up"
        while [ ! -e "$ROOT/stop" ]; do sleep 0.05; done
      elif [ "${4:-}" = train ]; then
        echo training >>"$ROOT/trained"
      fi
      for jar in "${jars[@]}"; do
        echo "$(basename "$jar") $(cat "$jar")"
      done
      """;

  @TempDir private Path root;
  private Path source;
  private String aheadOfTime = "off";

  @BeforeEach
  void checkout() throws Exception {
    Files.copy(Path.of("..", "tally"), root.resolve("tally"));
    Path sdk = Files.createDirectory(root.resolve("client-sdk")).resolve("install");
    Files.copy(Path.of("..", "client-sdk", "install"), sdk);
    write("pom.xml", "<version>1</version>");
    write("other/pom.xml", "<artifactId>other</artifactId>");
    write("ledger-cli/pom.xml", "<artifactId>other</artifactId>\n<artifactId>absent</artifactId>");
    write("benchmarks/pom.xml", "<artifactId>ledger-cli</artifactId>");
    for (String arguments : List.of("client.args", "service.args")) {
      write("ledger-cli/src/main/resources/io/tallystick/cli/process/" + arguments, "");
    }
    write("examples/java/pom.xml", "");
    source = write("other/src/main/java/A.java", "");
    write("jdk/release", "JAVA_VERSION=\"25.0.1\"\n");
    program("bin/mvn", MAVEN);
    program("jdk/bin/java", JVM);
    program("jdk/bin/javac", JVM);
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.toList()) {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofDays(1))));
      }
    }
  }

  @AfterEach
  void letEverythingEnd() throws Exception {
    Files.deleteIfExists(root.resolve("slow"));
    write("stop", "");
  }

  private Path write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    return Files.writeString(path, text);
  }

  private void program(String file, String text) throws IOException {
    assertThat(write(file, text).toFile().setExecutable(true)).isTrue();
  }

  /// Sources are newer than a build that began in this second.
  private void change(Path file) throws IOException {
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(5)));
    Path builds = root.resolve("ledger-cli/target/run");
    try (Stream<Path> stamps = Files.find(builds, 2, (at, _) -> at.endsWith("modules"))) {
      for (Path stamp : stamps.toList()) {
        Files.setLastModifiedTime(stamp, FileTime.from(Instant.now().minusSeconds(5)));
      }
    }
    Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
  }

  private String path() {
    return root.resolve("bin") + ":" + System.getenv("PATH");
  }

  private Process start(String path, Path said, String... words) throws IOException {
    ProcessBuilder builder = new ProcessBuilder("bash", root.resolve("tally").toString());
    builder.command().addAll(List.of(words));
    builder.environment().remove("HOME");
    builder.environment().put("TALLY_AOT", aheadOfTime);
    builder.environment().put("TALLY_JAVA_HOME", root.resolve("jdk").toString());
    builder.environment().put("PATH", path);
    builder.environment().put("ROOT", root.toString());
    return builder.redirectErrorStream(true).redirectOutput(said.toFile()).start();
  }

  private String end(Process process, Path said, int status) throws Exception {
    assertThat(process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
    String text = Files.readString(said);
    assertThat(process.exitValue()).as(text).isEqualTo(status);
    return text;
  }

  private String tally(String... words) throws Exception {
    Path said = Files.createTempFile(root, "said", "");
    return end(start(path(), said, words), said, ExitCode.OK);
  }

  private long builds() throws IOException {
    return Files.readAllLines(root.resolve("calls")).size();
  }

  private static void await(Path file, String text) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
    while (!Files.exists(file) || !Files.readString(file).contains(text)) {
      assertThat(System.nanoTime()).as("%s has no %s", file, text).isLessThan(deadline);
      Thread.sleep(20);
    }
  }

  private List<Path> folders() throws IOException {
    try (Stream<Path> found = Files.list(root.resolve("ledger-cli/target/run"))) {
      return found.filter(Files::isDirectory).toList();
    }
  }

  @Test
  void buildsOnceAndOnlyWhenASourceOfItsModulesChanges() throws Exception {
    assertThat(tally("--version")).contains("tally: building", "ledger-cli-1.jar build 1");
    for (String file :
        List.of(
            "examples/java/pom.xml",
            "examples/java/src/main/java/B.java",
            "conformance/work/pom.xml",
            "stray/pom.xml",
            "benchmarks/src/main/java/B.java",
            "other/src/main/java/A.java~",
            "other/src/main/java/.A.java.swp",
            "other/src/main/java/#A.java#",
            "other/src/test/java/A.java")) {
      change(write(file, ""));
      assertThat(tally("--version"))
          .as(file)
          .isEqualTo("ledger-cli-1.jar build 1\na.jar build 1\n");
    }
    change(source);
    assertThat(tally("--version")).contains("ledger-cli-1.jar build 2\na.jar build 2\n");
    assertThat(builds()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"bench", "--version"})
  void anInterruptedBuildLeavesTheOldOne(String command) throws Exception {
    tally("--version");
    if (!command.equals("bench")) {
      change(source);
    }
    write("slow", "");
    Path said = root.resolve("interrupted");
    Files.deleteIfExists(root.resolve("maven.pid"));
    Process interrupted = start(path(), said, command);
    await(root.resolve("maven.pid"), "\n");
    interrupted.destroyForcibly();
    long maven = Long.parseLong(Files.readString(root.resolve("maven.pid")).strip());
    ProcessHandle process = ProcessHandle.of(maven).orElseThrow();
    process.destroyForcibly();
    process.onExit().get(SECONDS_MAX, TimeUnit.SECONDS);
    Files.delete(root.resolve("slow"));
    change(root.resolve("examples/java/pom.xml"));
    if (command.equals("bench")) {
      assertThat(tally("--version")).isEqualTo("ledger-cli-1.jar build 1\na.jar build 1\n");
      assertThat(tally("bench"))
          .contains("build 1\na.jar build 1\nbenchmarks-1.jar bench\nkit.jar");
    } else {
      write("failing", "");
      Path failed = root.resolve("failed");
      assertThat(end(start(path(), failed, command), failed, 1))
          .contains("[ERROR] it does not compile", "tally: the build failed");
      Files.delete(root.resolve("failing"));
      assertThat(tally("--version")).contains("ledger-cli-1.jar build 4\na.jar build 4\n");
    }
    assertThat(folders()).as("nothing half").noneMatch(f -> f.toString().endsWith(".tmp"));
  }

  @Test
  void aServiceThatRunsKeepsItsJars() throws Exception {
    Path said = root.resolve("service");
    Process service = start(path(), said, "up");
    await(root.resolve("up"), "\n");
    for (int build = 2; build < 6; build++) {
      change(source);
      assertThat(tally("--version")).contains("ledger-cli-1.jar build " + build);
    }
    assertThat(tally("bench")).contains("ledger-cli-1.jar build 5");
    assertThat(folders()).as("of the service, of the command, of bench").hasSize(3);
    write("stop", "");
    assertThat(end(service, said, ExitCode.OK)).contains("jar build 1\na.jar build 1");
    change(source);
    tally("--version");
    assertThat(folders()).as("those that are not used are gone").hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void twoAtOnceBuildOnce(boolean flock) throws Exception {
    String path = flock ? path() : root.resolve("bin") + ":" + withoutFlock();
    if (!flock) {
      Process gone = new ProcessBuilder("true").start();
      gone.waitFor();
      Path run = Files.createDirectories(root.resolve("ledger-cli/target/run"));
      Files.createSymbolicLink(run.resolve("lock.pid"), Path.of(String.valueOf(gone.pid())));
    }
    write("slow", "");
    Path first = root.resolve("first");
    Path second = root.resolve("second");
    Process builds = start(path, first, "--version");
    await(root.resolve("maven.pid"), "\n");
    Process waits = start(path, second, "--version");
    await(second, "another build is at work");
    Files.delete(root.resolve("slow"));
    assertThat(end(builds, first, ExitCode.OK)).contains("tally: building", "jar build 1");
    assertThat(end(waits, second, ExitCode.OK))
        .contains("waiting for it ...\nledger-cli-1.jar build 1\n");
    assertThat(builds()).isEqualTo(1);

    Files.delete(root.resolve("maven.pid"));
    write("slow", "");
    Path sdk = root.resolve("sdk");
    Process installs = start(path, sdk, "sdk", "install");
    await(root.resolve("maven.pid"), "\n");
    change(source);
    Path third = root.resolve("third");
    Process behind = start(path, third, "--version");
    await(third, "another build is at work");
    Files.delete(root.resolve("slow"));
    end(installs, sdk, ExitCode.OK);
    assertThat(end(behind, third, ExitCode.OK)).contains("jar build 3");
  }

  /// The programs that the script and its helpers need, but that one, found by their full paths.
  private Path withoutFlock() throws IOException {
    String needed =
        "basename bash cat cp date dirname env find grep head kill ln locale ls mkdir mv readlink rm"
            + " rmdir sed sleep tail tee touch wc";
    for (String program : needed.split(" ", -1)) {
      Path found = Path.of("/usr/bin", program);
      Path full = Files.exists(found) ? found : Path.of("/bin", program);
      program("programs/" + program, "#!/bin/sh\nexec " + full + " \"$@\"\n");
    }
    return root.resolve("programs");
  }

  @Test
  void learnsOncePerBuild() throws Exception {
    aheadOfTime = "on";
    tally("--version");
    assertThat(tally("--version")).doesNotContain("learning");
    assertThat(root.resolve("trained")).hasContent("training");
    change(source);
    assertThat(tally("--version")).contains("tally: learning");
    assertThat(Files.readAllLines(root.resolve("trained"))).hasSize(2);
  }
}
