package io.tallystick.cli.process;

import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.TallystickService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A `tally up` in a process of its own, on a loopback port; for the demo and the benchmarks. It
/// ends with this process, also when a signal ends that.
public final class ServiceProcess implements AutoCloseable {
  /// Names the folder with the ahead-of-time caches; absent: there are none.
  public static final String CACHE_PROPERTY = "tally.aot";

  public static final String SERVICE_CACHE = "service.aot";

  private static final String OPTIONS_VARIABLE = "TALLY_JAVA_OPTS";

  /// By name: the commands start services, so this package does not know them.
  private static final String MAIN = "io.tallystick.cli.Tally";

  private static final long START_SECONDS_MAX = 180;
  public static final long STOP_SECONDS_MAX = 30;
  private static final long ASSEMBLE_SECONDS_MAX = 120;

  private final Process process;
  private final Path dataDirectory;
  private final Path log;
  private final int port;
  private final Thread atExit;
  private final long stopSecondsMax;

  private ServiceProcess(
      Process process, Path dataDirectory, Path log, int port, Thread atExit, long stopSecondsMax) {
    this.process = process;
    this.dataDirectory = dataDirectory;
    this.log = log;
    this.port = port;
    this.atExit = atExit;
    this.stopSecondsMax = stopSecondsMax;
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
    return start(dataDirectory, log, port, 0);
  }

  /// As {@link #start(Path, Path, int)}, with a given port of REST, too.
  public static ServiceProcess start(Path dataDirectory, Path log, int port, int httpPort)
      throws IOException {
    List<String> options = new ArrayList<>(cacheOptions());
    options.addAll(givenOptions());
    List<String> command = command(dataDirectory, port, httpPort, options, MAIN);
    return start(dataDirectory, log, command, STOP_SECONDS_MAX);
  }

  /// As {@link #start(Path, Path, int)}, of another main class that takes the same arguments.
  ///
  /// @param more arguments behind those
  public static ServiceProcess start(
      Path dataDirectory, Path log, int port, Class<?> main, List<String> more) throws IOException {
    List<String> command = command(dataDirectory, port, 0, givenOptions(), main.getName());
    command.addAll(more);
    return start(dataDirectory, log, command, STOP_SECONDS_MAX);
  }

  /// As {@link #start(Path, Path)}, with further options of the JVM.
  public static ServiceProcess start(Path dataDirectory, Path log, List<String> jvmOptions)
      throws IOException {
    List<String> command = command(dataDirectory, 0, 0, jvmOptions, MAIN);
    return start(dataDirectory, log, command, STOP_SECONDS_MAX);
  }

  /// A service that writes down, when it is asked to stop, what it loaded and which of its code was
  /// hot: an ahead-of-time cache for the next.
  public static ServiceProcess startTraining(Path dataDirectory, Path log, Path cache)
      throws IOException {
    List<String> options = List.of("-XX:AOTCacheOutput=" + cache);
    List<String> command = command(dataDirectory, 0, 0, options, MAIN);
    return start(dataDirectory, log, command, ASSEMBLE_SECONDS_MAX);
  }

  private static List<String> cacheOptions() {
    String folder = System.getProperty(CACHE_PROPERTY);
    Path cache = folder == null ? null : Path.of(folder, SERVICE_CACHE);
    return cache == null || !Files.isReadable(cache)
        ? List.of()
        // A cache of another build or JDK is left alone, without a word.
        : List.of("-XX:AOTCache=" + cache, "-Xlog:aot=off", "-Xlog:cds=off");
  }

  private static ServiceProcess start(
      Path dataDirectory, Path log, List<String> command, long stopSecondsMax) throws IOException {
    Path portFile = dataDirectory.resolve(RunningService.PORT_FILE);
    Files.deleteIfExists(portFile);
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().putIfAbsent("MALLOC_ARENA_MAX", "2"); // as ./tally up does
    Process process = builder.start();
    Thread atExit =
        new Thread(() -> stop(process, stopSecondsMax), "stop service " + process.pid());
    try {
      Runtime.getRuntime().addShutdownHook(atExit);
      return new ServiceProcess(
          process, dataDirectory, log, awaitPort(process, portFile, log), atExit, stopSecondsMax);
    } catch (IOException | RuntimeException e) {
      removeHook(atExit);
      process.destroyForcibly();
      throw e;
    }
  }

  private static List<String> command(
      Path dataDirectory, int port, int httpPort, List<String> options, String main) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JvmOptions.ofService());
    if (!TallystickService.hasContextOfBuild()) {
      command.add("-Dspring.aot.enabled=false"); // there are no parts that the build wrote down
    }
    command.addAll(options);
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            main,
            "up",
            "--data",
            dataDirectory.toString(),
            "--port",
            String.valueOf(port),
            "--http-port",
            String.valueOf(httpPort)));
    return command;
  }

  /// The heap that {@link #start(Path, Path)} gives a service.
  public static long heapBytes() {
    List<String> options = new ArrayList<>(JvmOptions.ofService());
    options.addAll(givenOptions());
    return JvmOptions.heapBytes(options);
  }

  /// Options of the caller's, which `./tally` gives to its own JVM too.
  private static List<String> givenOptions() {
    String words = System.getenv(OPTIONS_VARIABLE);
    return words == null || words.isBlank() ? List.of() : List.of(words.strip().split("\\s+", -1));
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

  /// Where REST is, `http://127.0.0.1:PORT`.
  public String httpTarget() throws IOException {
    return "http://127.0.0.1:"
        + Files.readString(dataDirectory.resolve(RunningService.HTTP_PORT_FILE)).strip();
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
    await(process, STOP_SECONDS_MAX);
    removeHook(atExit);
  }

  /// Asks the service to stop and waits for it.
  @Override
  public void close() {
    stop(process, stopSecondsMax);
    removeHook(atExit);
  }

  /// Whether a hook could be removed: not once this process is ending.
  public static boolean removeHook(Thread hook) {
    try {
      return Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      return false;
    }
  }

  private static void stop(Process process, long secondsMax) {
    process.destroy();
    await(process, secondsMax);
  }

  private static void await(Process process, long secondsMax) {
    try {
      if (!process.waitFor(secondsMax, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
