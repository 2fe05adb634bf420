package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.testkit.Effort;
import io.tallystick.testkit.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a service that is asked to stop while it starts stops, complains of nothing, and starts
/// again on the same data. Method: the real process, and SIGTERM at several moments behind the one
/// at which its node makes its keys.
@Tag("long")
class EarlyStopTest {
  private static final long SECONDS_MAX = Waiting.MAX.toSeconds();
  private static final List<Integer> BEHIND_MILLIS = List.of(250, 0, 750, 1500);
  private static final int STOPS = Effort.of(1, BEHIND_MILLIS.size());

  @TempDir private Path home;

  @Test
  void stopsWithoutAWord() throws Exception {
    for (int behindMillis : BEHIND_MILLIS.subList(0, STOPS)) {
      assertThat(printed(behindMillis))
          .as("stopped after %d ms", behindMillis)
          .doesNotContain("unexpected", "Exception");
    }
    ServiceProcess.start(home.resolve("data-250"), home.resolve("log")).close();
  }

  private String printed(int behindMillis) throws Exception {
    Path data = home.resolve("data-" + behindMillis);
    Path log = home.resolve("log-" + behindMillis);
    Process starting = start(data, log);
    try {
      awaitKeys(starting, data);
      Thread.sleep(behindMillis);
      starting.destroy();
      assertThat(starting.waitFor(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
    } finally {
      starting.destroyForcibly();
    }
    return Files.readString(log);
  }

  private static Process start(Path data, Path log) throws IOException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-cp",
            System.getProperty("java.class.path"),
            Tally.class.getName(),
            "up",
            "--data",
            data.toString(),
            "--port",
            "0",
            "--http-port",
            "0");
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
  }

  private static void awaitKeys(Process starting, Path data) throws InterruptedException {
    Waiting.until(
        "the keys are made",
        () -> {
          assertThat(starting.isAlive()).isTrue();
          return Files.exists(data.resolve("keys"));
        });
  }
}
