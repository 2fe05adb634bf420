package io.tallystick.cluster.process;

import io.tallystick.cli.process.JvmOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// A cluster of processes on this machine. Each writes what it says to `log/NAME.log` of the folder
/// and has its process id in `log/NAME.pid`; what it said before it was started again is in
/// `log/NAME.before.log`. Ports are drawn once and kept in the folder.
public final class ClusterTrial implements AutoCloseable {
  /// The name of its cluster.
  public static final String CLUSTER = "tallystick";

  /// So that little work shows what is shipped.
  private static final String SHIP_JOURNALS = "1000";

  private static final String SHIP_SECONDS = "2";

  /// A port for health and metrics, which stands in the folder of the process.
  private static final String FREE = "0";

  private static final int BOOKIES = 3;
  private static final int MASTERS = 2;
  private static final int SERVERS = 2;
  private static final int PROXIES = 2;
  private static final long READY_SECONDS = 300;
  private static final long LOOK_MILLIS = 50;
  private static final long END_SECONDS = 20;

  private final Path folder;
  private final String heap;
  private final Consumer<String> say;
  private final Launch launch;
  private final Map<String, Process> processes = new LinkedHashMap<>();
  private final Map<String, List<String>> given = new HashMap<>();
  private String zooKeeper = "";
  private boolean closed;

  /// How a process is started.
  @FunctionalInterface
  public interface Launch {
    /// @return the command that stands in its place
    List<String> of(String name, List<String> command);
  }

  /// @param heap of each process, as in `256m`
  /// @param say hears a line for each process that is ready
  public ClusterTrial(Path folder, String heap, Consumer<String> say) {
    this(folder, heap, say, (_, command) -> command);
  }

  /// The same with processes that are started otherwise.
  public ClusterTrial(Path folder, String heap, Consumer<String> say, Launch launch) {
    this.folder = folder;
    this.heap = heap;
    this.say = say;
    this.launch = launch;
  }

  /// Further options of each process that is started by a command from now on.
  public void give(String command, String... options) {
    given.put(command, List.of(options));
  }

  /// Starts all, and waits until each is ready.
  ///
  /// @param shards of a cluster that is new
  /// @throws IOException if one of them ends, or is not ready after five minutes: the message has
  ///   the end of its log
  public void start(int shards) throws IOException, InterruptedException {
    Files.createDirectories(folder.resolve("log"));
    zooKeeper = "127.0.0.1:" + port("zookeeper");
    startZooKeeper();
    awaitReady("zookeeper", "ZooKeeper on ");
    List<String> init = new ArrayList<>(List.of("cluster", "init", "--zookeeper", zooKeeper));
    init.addAll(List.of("--cluster", CLUSTER));
    init.addAll(List.of("--authority", "localhost", "--keys", at("keys")));
    init.addAll(List.of("--shards", text(shards)));
    run("init", init);
    for (int i = 1; i <= BOOKIES; i++) {
      startBookie(i);
    }
    for (int i = 1; i <= BOOKIES; i++) {
      awaitReady("bookie-" + i, "Bookie ");
    }
    for (int i = 1; i <= MASTERS; i++) {
      startMaster(i);
    }
    for (int i = 1; i <= SERVERS; i++) {
      startServer(i);
    }
    for (int i = 1; i <= SERVERS; i++) {
      awaitReady("server-" + i, "Server ");
    }
    for (int i = 1; i <= PROXIES; i++) {
      startProxy(i);
    }
    for (int i = 1; i <= PROXIES; i++) {
      awaitReady("proxy-" + i, "Proxy ");
    }
  }

  /// Starts it, also after it was killed; does not wait until it is ready.
  public void startZooKeeper() throws IOException {
    begin(
        "zookeeper",
        "zookeeper",
        "--data",
        at("zookeeper"),
        "--port",
        text(port("zookeeper")),
        "--management-port",
        FREE);
  }

  /// Starts one, also after it was killed; does not wait until it is ready.
  public void startBookie(int number) throws IOException {
    String name = "bookie-" + number;
    begin(
        name,
        "bookie",
        "--zookeeper",
        zooKeeper,
        "--id",
        name,
        "--data",
        at(name),
        "--port",
        text(port(name)),
        "--management-port",
        FREE);
  }

  /// As {@link #startBookie}.
  public void startMaster(int number) throws IOException {
    String name = "master-" + number;
    begin(
        name,
        "master",
        "--zookeeper",
        zooKeeper,
        "--id",
        name,
        "--data",
        at(name),
        "--management-port",
        FREE);
  }

  /// As {@link #startBookie}.
  public void startServer(int number) throws IOException {
    startServer(number, folder.resolve("keys"));
  }

  /// The same with a folder of keys of its own.
  public void startServer(int number, Path keys) throws IOException {
    String name = "server-" + number;
    begin(
        name,
        "server",
        "--zookeeper",
        zooKeeper,
        "--id",
        name,
        "--data",
        at(name),
        "--keys",
        keys.toString(),
        "--ship-journals",
        SHIP_JOURNALS,
        "--ship-seconds",
        SHIP_SECONDS,
        "--port",
        text(port(name)),
        "--management-port",
        FREE);
  }

  /// As {@link #startBookie}.
  public void startProxy(int number) throws IOException {
    String name = "proxy-" + number;
    begin(
        name,
        "proxy",
        "--zookeeper",
        zooKeeper,
        "--data",
        at(name),
        "--port",
        text(port(name)),
        "--http-port",
        text(port(name + "-http")),
        "--management-port",
        FREE);
  }

  private static String text(int number) {
    return Integer.toString(number);
  }

  private String at(String name) {
    return folder.resolve(name).toString();
  }

  /// Where a process listens; the same each time the trial is started in the folder.
  public int port(String name) throws IOException {
    Path file = folder.resolve("log").resolve(name + ".port");
    if (Files.exists(file)) {
      return Integer.parseInt(Files.readString(file).strip());
    }
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Files.writeString(file, free.getLocalPort() + "\n");
      return free.getLocalPort();
    }
  }

  private void begin(String name, String... words) throws IOException {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(given.getOrDefault(words[0], List.of()));
    Process process = process(name, all);
    Files.writeString(folder.resolve("log").resolve(name + ".pid"), process.pid() + "\n");
    boolean late;
    synchronized (processes) {
      processes.put(name, process);
      late = closed;
    }
    if (late) {
      process.destroy();
    }
  }

  private Process process(String name, List<String> words) throws IOException {
    keepLog(name);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (words.getFirst().equals("bookie")) {
      command.addAll(JvmOptions.ofBookie());
    }
    command.addAll(
        List.of(
            "-Xmx" + heap,
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-Djava.net.preferIPv4Stack=true",
            "-cp",
            System.getProperty("java.class.path"),
            ClusterTally.class.getName()));
    command.addAll(words);
    return new ProcessBuilder(launch.of(name, command))
        .redirectErrorStream(true)
        .redirectOutput(log(name).toFile())
        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
        .start();
  }

  /// What one said that was started before, behind what was said before that.
  private void keepLog(String name) throws IOException {
    if (Files.exists(log(name))) {
      Files.write(
          folder.resolve("log").resolve(name + ".before.log"),
          Files.readAllBytes(log(name)),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    }
  }

  private Path log(String name) {
    return folder.resolve("log").resolve(name + ".log");
  }

  private void run(String name, List<String> words) throws IOException, InterruptedException {
    Process process = process(name, words);
    if (!process.waitFor(READY_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw failed(name, "failed");
    }
  }

  /// Waits until a process has printed its line.
  ///
  /// @param line how it begins
  public void awaitReady(String name, String line) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS);
    while (true) {
      String said = Files.readString(log(name), StandardCharsets.UTF_8);
      if (said.startsWith(line) || said.contains("\n" + line)) {
        say.accept(
            said.substring(said.startsWith(line) ? 0 : said.indexOf("\n" + line) + 1)
                .lines()
                .findFirst()
                .orElse(line));
        return;
      }
      if (!named(name).isAlive()) {
        throw failed(name, "ended");
      }
      if (System.nanoTime() - end > 0) {
        throw failed(name, "is not ready");
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }

  /// Whether a process has said something since it was started last.
  public boolean hasSaid(String name, String text) throws IOException {
    return said(name).contains(text);
  }

  /// What a process has said since it was started last.
  public String said(String name) throws IOException {
    return Files.readString(log(name), StandardCharsets.UTF_8);
  }

  /// The folder of a process that keeps something.
  public Path folder(String name) {
    return folder.resolve(name);
  }

  private IOException failed(String name, String how) throws IOException {
    List<String> lines = Files.readAllLines(log(name), StandardCharsets.UTF_8);
    return new IOException(
        String.format(
            Locale.ROOT,
            "%s %s; its log ends: %s",
            name,
            how,
            String.join(" | ", lines.subList(Math.max(0, lines.size() - 5), lines.size()))));
  }

  private Process named(String name) {
    synchronized (processes) {
      Process process = processes.get(name);
      if (process == null) {
        throw new IllegalArgumentException("no process " + name);
      }
      return process;
    }
  }

  /// Kills one at once, as `kill -9` does, and waits until it is gone.
  public void kill(String name) throws InterruptedException {
    named(name).destroyForcibly().waitFor();
  }

  /// Makes one stand still, as a long pause of its machine does.
  public void pause(String name) throws IOException, InterruptedException {
    signal(name, "-STOP");
  }

  /// Lets one that stands still go on.
  public void resume(String name) throws IOException, InterruptedException {
    signal(name, "-CONT");
  }

  private void signal(String name, String signal) throws IOException, InterruptedException {
    Process kill =
        new ProcessBuilder("kill", signal, Long.toString(named(name).pid())).inheritIO().start();
    if (kill.waitFor() != 0) {
      throw new IOException("kill " + signal + " of " + name + " failed");
    }
  }

  /// `HOST:PORT` of ZooKeeper.
  public String zooKeeper() {
    return zooKeeper;
  }

  /// `HOST:PORT` of the proxies, for gRPC.
  public List<String> proxies() throws IOException {
    List<String> proxies = new ArrayList<>();
    for (int i = 1; i <= PROXIES; i++) {
      proxies.add("127.0.0.1:" + port("proxy-" + i));
    }
    return proxies;
  }

  /// Ends all, the last that was started first; what does not end in 20 s is killed.
  @Override
  public void close() {
    List<Process> all;
    synchronized (processes) {
      closed = true;
      all = new ArrayList<>(processes.values()).reversed();
    }
    for (Process process : all) {
      process.destroy();
      try {
        if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
          process.destroyForcibly();
        }
      } catch (InterruptedException _) {
        process.destroyForcibly();
        Thread.currentThread().interrupt();
      }
    }
  }
}
