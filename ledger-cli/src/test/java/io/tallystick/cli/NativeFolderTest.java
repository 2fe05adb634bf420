package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.testkit.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a service needs no temporary folder, and a killed one leaves nothing beyond its data
/// directory, where the next start finds its native library. Method: a service in a process whose
/// temporary folder takes nothing, killed and started again; what it has mapped is read.
@Tag("long")
class NativeFolderTest {
  /// A folder in which nobody, whatever their rights, makes a file.
  private static final String UNUSABLE = "/proc";

  private static final String HASHING = " INFO  BulkHashing: ";

  @TempDir private Path home;

  private ServiceProcess start(Path log) throws Exception {
    ServiceProcess service =
        ServiceProcess.start(home.resolve("data"), log, List.of("-Djava.io.tmpdir=" + UNUSABLE));
    Waiting.untilListening(log);
    return service;
  }

  /// While it runs: two threads print, and a killed service prints no more.
  private static void assertNoComplaint(Path log) throws Exception {
    Waiting.until(
        "it says that it listens and what hashes",
        () -> {
          String all = Files.readString(log);
          return all.endsWith("\n") && all.contains("Listening on ") && all.contains(HASHING);
        });
    assertThat(Files.readAllLines(log))
        .hasSize(3)
        .allMatch(line ->
            line.startsWith("Listening on ")
                || line.contains(HASHING)
                || line.contains(" INFO  RunningService: Tallystick "));
  }

  @Test
  void unpacksIntoTheDataDirectoryOnce() throws Exception {
    Path folder = home.resolve("data").resolve("native");
    Path log = home.resolve("log");
    ServiceProcess first = start(log);
    Path library;
    try {
      library = library(folder);
      assertThat(Files.readString(Path.of("/proc/" + first.pid() + "/maps")))
          .contains(library.toString(), folder + "/amazonCorretto", folder + "/libnetty");
      assertNoComplaint(log);
    } finally {
      first.kill();
    }
    assertThat(Files.getPosixFilePermissions(folder))
        .isEqualTo(PosixFilePermissions.fromString("rwx------"));
    FileTime made = Files.getLastModifiedTime(library);
    Path logOfSecond = home.resolve("log-of-second");
    try (ServiceProcess second = start(logOfSecond)) {
      assertThat(second.port()).isPositive();
      assertNoComplaint(logOfSecond);
    }
    assertThat(library(folder)).isEqualTo(library);
    assertThat(Files.getLastModifiedTime(library)).isEqualTo(made);
  }

  /// The only file there: what others unpack is deleted as soon as it is loaded.
  private static Path library(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      List<Path> files = all.filter(Files::isRegularFile).toList();
      assertThat(files).hasSize(1);
      return files.getFirst();
    }
  }
}
