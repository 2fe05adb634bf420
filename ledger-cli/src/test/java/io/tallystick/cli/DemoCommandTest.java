package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.testkit.Waiting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: the demo does the whole main job on a folder of files, finds the journal that was tampered
/// with and no other, and leaves nothing behind. Method: the command itself, services in processes
/// of their own.
class DemoCommandTest {
  @TempDir private Path folder;

  @Test
  void namesTheTamperedJournalAndLeavesNothingBehind() throws Exception {
    for (int i = 0; i < 5; i++) {
      Files.writeString(folder.resolve("file " + i + ".txt"), "content " + i);
    }
    Set<Path> before = leftovers();
    JsonNode demo = Cli.run("demo", folder, "--json").json();
    assertThat(demo.get("succeeded").booleanValue()).isTrue();
    JsonNode outcome = demo.get("outcome");
    assertThat(outcome.get("files").intValue()).isEqualTo(5);
    assertThat(outcome.get("receiptsVerified").intValue()).isEqualTo(5);
    assertThat(outcome.get("stateProven").booleanValue()).isTrue();
    assertThat(outcome.get("erasureProven").booleanValue()).isTrue();
    assertThat(outcome.get("purgeProven").booleanValue()).isTrue();
    assertThat(outcome.get("purgedBelow").longValue()).isEqualTo(303);
    assertThat(outcome.get("honestAuditPassed").booleanValue()).isTrue();
    assertThat(outcome.get("faults").longValue()).isEqualTo(1);
    assertThat(outcome.get("faultJsn").longValue())
        .isPositive()
        .isEqualTo(outcome.get("tamperedJsn").longValue());
    awaitNothingBut(before);
  }

  @Test
  void failsOnAFolderWithoutFilesAndLeavesNothingBehind() throws Exception {
    Set<Path> before = leftovers();
    assertThat(Cli.run("demo", folder).hasStatus(ExitCode.FILE).err())
        .startsWith("tally: there is no readable file in ");
    awaitNothingBut(before);
  }

  @Test
  void saysThatAFileIsNotAFolder() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "content");
    assertThat(Cli.run("demo", file).hasStatus(ExitCode.FILE).err())
        .isEqualToIgnoringNewLines("tally: " + file + " is not a folder");
  }

  @Test
  void leavesNeitherServiceNorFolderWhenASignalEndsIt() throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("tmp"));
    Files.writeString(folder.resolve("file"), "content");
    Process demo =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + temporary,
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Tally.class.getName(),
                "demo",
                folder.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      ProcessHandle service = awaitChild(demo);
      demo.destroy();
      assertThat(demo.waitFor(180, TimeUnit.SECONDS)).isTrue();
      assertThat(service.isAlive()).isFalse();
      try (Stream<Path> left = Files.list(temporary)) {
        assertThat(left).noneMatch(file -> file.getFileName().toString().startsWith("tally-"));
      }
    } finally {
      demo.descendants().forEach(ProcessHandle::destroyForcibly);
      demo.destroyForcibly();
    }
  }

  private static ProcessHandle awaitChild(Process parent) throws Exception {
    Waiting.until(
        "it has started a service",
        () -> {
          assertThat(parent.isAlive()).isTrue();
          return parent.children().findAny().isPresent();
        });
    return parent.children().findAny().orElseThrow();
  }

  /// Another demo on this machine may be under way; it too leaves nothing.
  private static void awaitNothingBut(Set<Path> before) throws Exception {
    Waiting.until("nothing is left behind", () -> before.containsAll(leftovers()));
  }

  private static Set<Path> leftovers() throws Exception {
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("tally-demo-"))
          .collect(Collectors.toSet());
    }
  }
}
