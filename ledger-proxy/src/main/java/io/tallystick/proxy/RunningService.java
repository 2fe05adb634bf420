package io.tallystick.proxy;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.HostedNode;
import io.tallystick.proxy.anchor.Anchoring;
import io.tallystick.proxy.rest.ManagementPort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.grpc.server.lifecycle.GrpcServerLifecycle;

/// A service that listens. Closing it answers what was taken, saves, and ends; it returns when all
/// is closed.
public final class RunningService implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RunningService.class);

  /// In the data directory while the service runs: the port it listens on, in decimal.
  public static final String PORT_FILE = "service.port";

  /// Beside it: the port of REST.
  public static final String HTTP_PORT_FILE = "http.port";

  /// Beside it, if health and metrics have a port of their own: that port.
  public static final String MANAGEMENT_PORT_FILE = "management.port";

  private static final long STOPPED = 0;

  private final ConfigurableApplicationContext context;
  private final ServiceProperties properties;
  private final int port;
  private final int httpPort;
  private final AtomicLong stopsSinceNanos = new AtomicLong(STOPPED);

  private RunningService(
      ConfigurableApplicationContext context,
      ServiceProperties properties,
      int port,
      int httpPort) {
    this.context = context;
    this.properties = properties;
    this.port = port;
    this.httpPort = httpPort;
  }

  static RunningService of(ConfigurableApplicationContext context, ServiceProperties properties)
      throws IOException {
    int port = context.getBean(GrpcServerLifecycle.class).getPort();
    int httpPort =
        Objects.requireNonNull(
            context.getEnvironment().getProperty("local.server.port", int.class));
    Files.createDirectories(properties.dataPath());
    tell(context, properties.dataPath(), HTTP_PORT_FILE, httpPort);
    OptionalInt management = context.getBean(ManagementPort.class).port();
    if (management.isPresent()) {
      tell(context, properties.dataPath(), MANAGEMENT_PORT_FILE, management.getAsInt());
    }
    // Last: who finds it finds both.
    tell(context, properties.dataPath(), PORT_FILE, port);
    RunningService service = new RunningService(context, properties, port, httpPort);
    service.logStart();
    context.addApplicationListener(event -> {
      if (event instanceof ContextClosedEvent) {
        service.logStop();
      }
    });
    return service;
  }

  /// Whoever closes it: this, or the framework when the process is told to end.
  private void logStop() {
    stopsSinceNanos.set(System.nanoTime() | 1); // never STOPPED
    LOG.info("Tallystick stops");
  }

  private void logStart() {
    String insecure =
        "INSECURE, for development alone: no TLS, anybody may found ledgers (tallystick.insecure-dev). ";
    LOG.atLevel(properties.listen().insecureDev() ? Level.WARN : Level.INFO)
        .log(
            "{}Tallystick {} serves {} of {}: gRPC on {}, REST on {}, {}{}ledgers: {}, opened in {} ms, {}",
            properties.listen().insecureDev() ? insecure : "",
            TallystickService.version(),
            context.getBean(HostedNode.class).node().identity().authority(),
            properties.dataPath().toAbsolutePath().normalize(),
            target(),
            httpTarget(),
            properties.listen().loopback()
                ? "which nothing outside this machine or container reaches, "
                : "",
            managementTarget().map(it -> "health and metrics on " + it + ", ").orElse(""),
            ledgerCount(),
            context.getBean(NodeOpening.class).openedMillis(),
            context.getBean(Anchoring.class).status().isPresent()
                ? "time is anchored by " + properties.outside().time().authorities()
                : Anchoring.NOT_ANCHORED);
  }

  private String ledgerCount() {
    try {
      return Long.toString(context.getBean(HostedNode.class).node().ledgerCount());
    } catch (RequestRejectedException e) {
      return e.toString();
    }
  }

  private static void tell(
      ConfigurableApplicationContext context, Path dataPath, String name, int port)
      throws IOException {
    PortFile file = PortFile.write(dataPath, name, port);
    context.addApplicationListener(event -> {
      if (event instanceof ContextClosedEvent) {
        file.close();
      }
    });
  }

  /// The port really bound.
  public int port() {
    return port;
  }

  /// The address that a client connects to, `127.0.0.1:4510`.
  public String target() {
    return properties.listen().target(port);
  }

  /// The port really bound for REST.
  public int httpPort() {
    return httpPort;
  }

  /// Where REST is, `http://127.0.0.1:4511`.
  public String httpTarget() {
    return (properties.listen().tls() == null ? "http://" : "https://")
        + properties.listen().target(httpPort);
  }

  /// Where health and metrics are, `http://127.0.0.1:4512`, if not on the port of REST.
  public Optional<String> managementTarget() {
    OptionalInt bound = context.getBean(ManagementPort.class).port();
    return bound.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "http://"
                + ListenProperties.target(
                    properties.operation().management().address(), bound.getAsInt()));
  }

  /// The meters of the service, `ledger.refusals` by code among them.
  public MeterRegistry meters() {
    return context.getBean(MeterRegistry.class);
  }

  @Override
  public void close() {
    context.close();
    long began = stopsSinceNanos.getAndSet(STOPPED);
    if (began != STOPPED) {
      LOG.info(
          "Tallystick has stopped after {} ms",
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
    }
  }
}
