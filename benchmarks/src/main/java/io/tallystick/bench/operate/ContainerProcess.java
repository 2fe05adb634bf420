package io.tallystick.bench.operate;

import io.tallystick.proxy.RunningService;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A service in a container of the Docker engine that `docker` finds, on the host's loopback,
/// locked as docs/operations.md has it. It runs as this process' user, so that its files can be
/// deleted.
final class ContainerProcess implements AutoCloseable {
  private static final long START_SECONDS_MAX = 60;
  private static final long PAUSE_MS = 20;

  private final String id;
  private final int port;

  private ContainerProcess(String id, int port) {
    this.id = id;
    this.port = port;
  }

  /// Starts it and waits until it listens.
  ///
  /// @param data made here
  static ContainerProcess start(String image, Path data) throws IOException, InterruptedException {
    Files.createDirectory(data);
    String user = Files.getAttribute(data, "unix:uid") + ":" + Files.getAttribute(data, "unix:gid");
    String id =
        docker(
            List.of(
                "run",
                "--detach",
                "--read-only",
                "--cap-drop",
                "ALL",
                "--security-opt",
                "no-new-privileges",
                "--tmpfs",
                "/tmp:noexec",
                "--network",
                "host",
                "--user",
                user,
                "--volume",
                data + ":/data",
                "--env",
                "TALLY_SHUTDOWN_DELAY=0",
                image,
                "up",
                "--port",
                "0",
                "--http-port",
                "0",
                "--management-port",
                "0"));
    try {
      return new ContainerProcess(id, awaitPort(id, data.resolve(RunningService.PORT_FILE)));
    } catch (IOException | InterruptedException | RuntimeException e) {
      docker(List.of("rm", "--force", id));
      throw e;
    }
  }

  private static int awaitPort(String id, Path file) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS_MAX);
    while (System.nanoTime() < deadline) {
      String text = Files.exists(file) ? Files.readString(file).strip() : "";
      if (!text.isEmpty()) {
        return Integer.parseInt(text);
      }
      Thread.sleep(PAUSE_MS);
    }
    throw new IOException("the container does not listen: " + docker(List.of("logs", id)));
  }

  private static String docker(List<String> words) throws IOException {
    ProcessBuilder builder = new ProcessBuilder("docker").redirectErrorStream(true);
    builder.command().addAll(words);
    Process process = builder.start();
    String said =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    if (process.onExit().join().exitValue() != 0) {
      throw new IOException("docker " + words.getFirst() + ": " + said);
    }
    return said;
  }

  String target() {
    return "127.0.0.1:" + port;
  }

  @Override
  public void close() throws IOException {
    docker(List.of("stop", "--time", "30", id));
    docker(List.of("rm", id));
  }
}
