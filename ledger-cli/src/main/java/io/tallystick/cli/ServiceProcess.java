package io.tallystick.cli;

import io.tallystick.proxy.RunningService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A `tally up` in a process of its own, on a loopback port; for the demo and the benchmarks. It
/// ends with this process, also when a signal ends that.
public final class ServiceProcess implements AutoCloseable {
  private static final long START_SECONDS_MAX = 60;
  static final long STOP_SECONDS_MAX = 30;

  private final Process process;
  private final Path log;
  private final int port;
  private final Thread atExit;

  private ServiceProcess(Process process, Path log, int port, Thread atExit) {
    this.process = process;
    this.log = log;
    this.port = port;
    this.atExit = atExit;
  }

  /// Starts the service on `dataDirectory` and a free port, and waits until it listens.
  ///
  /// @param log receives what the service prints
  /// @throws IOException if it does not come up; the message ends with what it printed
  public static ServiceProcess start(Path dataDirectory, Path log) throws IOException {
    return start(dataDirectory, log, 0);
  }

  /// As {@link #start(Path, Path)}, on a given port: for one who comes back.
  ///
  /// @param port 0 takes a free one
  public static ServiceProcess start(Path dataDirectory, Path log, int port) throws IOException {
    Path portFile = dataDirectory.resolve(RunningService.PORT_FILE);
    Files.deleteIfExists(portFile);
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process process =
        new ProcessBuilder(
                List.of(
                    java,
                    "-Xmx384m",
                    "-XX:+UseG1GC",
                    "-XX:+UseCompactObjectHeaders",
                    "--enable-native-access=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow",
                    "-Djava.net.preferIPv4Stack=true",
                    "-cp",
                    System.getProperty("java.class.path"),
                    Tally.class.getName(),
                    "up",
                    "--data",
                    dataDirectory.toString(),
                    "--port",
                    String.valueOf(port)))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    Thread atExit = new Thread(() -> stop(process), "stop service " + process.pid());
    try {
      Runtime.getRuntime().addShutdownHook(atExit);
      return new ServiceProcess(process, log, awaitPort(process, portFile, log), atExit);
    } catch (IOException | RuntimeException e) {
      removeHook(atExit);
      process.destroyForcibly();
      throw e;
    }
  }

  private static int awaitPort(Process process, Path portFile, Path log) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS_MAX);
    while (process.isAlive() && System.nanoTime() < deadline) {
      if (Files.exists(portFile)) {
        String text = Files.readString(portFile).strip();
        if (!text.isEmpty()) {
          return Integer.parseInt(text);
        }
      }
      try {
        process.waitFor(20, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while the service started", e);
      }
    }
    String printed = Files.exists(log) ? Files.readString(log) : "";
    throw new IOException(
        process.isAlive()
            ? "the service did not listen within " + START_SECONDS_MAX + " s:\n" + printed
            : "the service ended with status " + process.exitValue() + ":\n" + printed);
  }

  public String target() {
    return "127.0.0.1:" + port;
  }

  public int port() {
    return port;
  }

  public long pid() {
    return process.pid();
  }

  public Path log() {
    return log;
  }

  /// Ends the service without warning, as a power cut would.
  public void kill() {
    process.destroyForcibly();
    await(process);
    removeHook(atExit);
  }

  /// Asks the service to stop and waits for it.
  @Override
  public void close() {
    stop(process);
    removeHook(atExit);
  }

  /// Whether a hook could be removed: not once this process is ending.
  static boolean removeHook(Thread hook) {
    try {
      return Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      return false;
    }
  }

  private static void stop(Process process) {
    process.destroy();
    await(process);
  }

  private static void await(Process process) {
    try {
      if (!process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
