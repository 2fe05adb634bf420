package io.tallystick.cluster.health;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tallystick.proxy.PortFile;
import io.tallystick.proxy.RunningService;
import io.tallystick.storage.disk.DataDirectoryLock;
import java.io.IOException;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/// Health and metrics of a process over plain HTTP, at the paths of `tally up`. While it runs, its
/// port stands in the process's folder, where `tally health` finds it.
public final class ManagementServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ManagementServer.class);

  /// Has the lock of a process that runs.
  public static final String PROCESS = "process";

  private static final String HEALTH = "/actuator/health";
  private static final String METRICS = "/actuator/prometheus";
  private static final String JSON = "application/json";
  private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
  private static final String NOTHING = "{}";
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int WRONG_METHOD = 405;
  private static final int FAILED = 500;
  private static final int UNAVAILABLE = 503;

  /// Probes and scrapes are few, and must not wait for each other.
  private static final int THREADS = 4;

  private static final int WAITING_CONNECTIONS_MAX = 64;

  static {
    // Read once, by the first server of the process. Seconds.
    bound("jdk.httpserver.maxConnections", 64);
    bound("sun.net.httpserver.maxReqTime", 10);
    bound("sun.net.httpserver.maxRspTime", 30);
  }

  private final HttpServer server;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          THREADS, Thread.ofPlatform().name("management-", 0).daemon().factory());
  private final PortFile file;
  private final ProcessMeters meters;
  private final AtomicReference<Supplier<ProcessHealth>> health =
      new AtomicReference<>(() -> ProcessHealth.notYet("the process starts"));
  private final AtomicBoolean closed = new AtomicBoolean();
  private final DataDirectoryLock alone;

  private ManagementServer(
      HttpServer server, PortFile file, ProcessMeters meters, DataDirectoryLock alone) {
    this.alone = alone;
    this.server = server;
    this.file = file;
    this.meters = meters;
  }

  private static void bound(String property, int most) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, Integer.toString(most));
    }
  }

  /// Starts it. The process is not ready until {@link #tell} is called.
  ///
  /// @param at where it listens; port 0 takes a free one
  /// @param folder of the process, made if there is none
  /// @throws IOException also if the port is taken, or another process has the folder
  public static ManagementServer start(InetSocketAddress at, Path folder, ProcessMeters meters)
      throws IOException {
    DataDirectoryLock alone = alone(folder);
    try {
      return start(at, folder, meters, alone);
    } catch (IOException | RuntimeException e) {
      alone.close();
      throw e;
    }
  }

  /// A second process on this folder must not write over what tells of the first.
  private static DataDirectoryLock alone(Path folder) throws IOException {
    return DataDirectoryLock.acquire(Files.createDirectories(folder.resolve(PROCESS)));
  }

  private static ManagementServer start(
      InetSocketAddress at, Path folder, ProcessMeters meters, DataDirectoryLock alone)
      throws IOException {
    HttpServer server;
    try {
      server = HttpServer.create(at, WAITING_CONNECTIONS_MAX);
    } catch (BindException e) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "health and metrics cannot listen on %s:%d, which --management-port names: %s",
              at.getHostString(),
              at.getPort(),
              e.getMessage()),
          e);
    }
    PortFile file;
    try {
      file =
          PortFile.write(
              folder, RunningService.MANAGEMENT_PORT_FILE, server.getAddress().getPort());
    } catch (IOException e) {
      server.stop(0);
      throw e;
    }
    ManagementServer started = new ManagementServer(server, file, meters, alone);
    server.createContext("/", started::answer);
    server.setExecutor(started.threads);
    server.start();
    return started;
  }

  /// From now on the process is as this says.
  public void tell(Supplier<ProcessHealth> now) {
    health.set(now);
  }

  /// What runs, and this: closed, the process first says that it stops, then what runs is closed,
  /// then this.
  public AutoCloseable with(AutoCloseable runs) {
    return () -> {
      health.set(() -> ProcessHealth.notYet("the process stops"));
      try (this) {
        runs.close();
      }
    };
  }

  public int port() {
    return server.getAddress().getPort();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String method = exchange.getRequestMethod();
      if (method.equals("GET") || method.equals("HEAD")) {
        tell(exchange);
      } else {
        send(exchange, WRONG_METHOD, JSON, NOTHING);
      }
    }
  }

  private void tell(HttpExchange exchange) throws IOException {
    try {
      switch (exchange.getRequestURI().getPath()) {
        case HEALTH -> health(exchange, now().with(live()));
        case HEALTH + "/readiness" -> health(exchange, now());
        case HEALTH + "/liveness" -> health(exchange, new ProcessHealth(List.of(live())));
        case METRICS -> send(exchange, OK, TEXT, meters.text());
        default -> send(exchange, NOT_FOUND, JSON, NOTHING);
      }
    } catch (RuntimeException e) {
      LOG.error("a question for health or metrics failed: {}", e.toString(), e);
      send(exchange, FAILED, JSON, NOTHING);
    }
  }

  private ProcessHealth now() {
    return health.get().get();
  }

  /// That this answers is what is asked.
  private static ProcessHealth.Part live() {
    return ProcessHealth.Part.of("livenessState", true);
  }

  private static void health(HttpExchange exchange, ProcessHealth health) throws IOException {
    send(
        exchange,
        health.ready() ? OK : UNAVAILABLE,
        JSON,
        JsonMapper.shared().writeValueAsString(health.shown()));
  }

  private static void send(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.sendResponseHeaders(status, -1);
      return;
    }
    exchange.sendResponseHeaders(status, body.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(body);
    }
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      file.close();
      server.stop(0);
      threads.shutdownNow();
      meters.close();
      try {
        alone.close();
      } catch (IOException e) {
        LOG.warn("the lock of the process's folder was not given back: {}", e.toString());
      }
    }
  }
}
