package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.testkit.Waiting;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an ahead-of-time cache can make a start faster and nothing else. Method: a service with a
/// cache that no JVM could have written, and the run that makes caches, for as short as it goes.
class StartCacheTest {
  @TempDir private Path folder;

  @AfterEach
  void forgetCaches() {
    System.clearProperty(ServiceProcess.CACHE_PROPERTY);
  }

  @Test
  void startsWithoutAWordWhenTheCacheIsOfNoUse() throws Exception {
    Files.writeString(folder.resolve(ServiceProcess.SERVICE_CACHE), "not a cache");
    System.setProperty(ServiceProcess.CACHE_PROPERTY, folder.toString());
    Path log = folder.resolve("log");
    try (ServiceProcess service = ServiceProcess.start(folder.resolve("data"), log)) {
      String command =
          ProcessHandle.of(service.pid()).flatMap(it -> it.info().commandLine()).orElse("");
      assertThat(command).contains("-XX:AOTCache=" + folder);
      Waiting.untilListening(log);
    }
    assertThat(Files.readAllLines(log))
        .isNotEmpty()
        .allMatch(line ->
            line.startsWith("Listening on ")
                || line.contains(" INFO  BulkHashing: ")
                || line.contains(" INFO  RunningService: Tallystick "));
  }

  @Test
  void startsWithoutCacheOptionsWhenThereIsNoCache() throws Exception {
    System.setProperty(ServiceProcess.CACHE_PROPERTY, folder.toString());
    Path log = folder.resolve("log");
    try (ServiceProcess service = ServiceProcess.start(folder.resolve("data"), log)) {
      String command =
          ProcessHandle.of(service.pid()).flatMap(it -> it.info().commandLine()).orElse("");
      assertThat(command)
          .contains("-Xmx384m", "-XX:+ExitOnOutOfMemoryError")
          .doesNotContain("-XX:AOTCache");
    }
  }

  @Test
  @Tag("long")
  void learnsFromARealRun() {
    Cli.run("train", folder, "--seconds", "0.1").hasStatus(ExitCode.OK);
    assertThat(folder.resolve("train.log")).content().contains("Listening on ");
  }
}
