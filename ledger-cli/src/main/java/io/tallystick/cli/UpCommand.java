package io.tallystick.cli;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.UserErrorException;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.proxy.LimitsProperties;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.proxy.TlsProperties;
import io.tallystick.proxy.TracingProperties;
import io.tallystick.server.host.LocalNode;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Runs the whole service in one process until it is told to stop.
@Command(
    name = "up",
    description = {
      "Run the service in this process until it is interrupted: on loopback, unless it is given a",
      "certificate and told to listen elsewhere."
    },
    mixinStandardHelpOptions = true)
final class UpCommand implements Callable<Integer> {
  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "./data",
      description = "Data directory, made if absent. Default: ${DEFAULT-VALUE}")
  private Path data = Path.of("");

  @Option(
      names = "--port",
      defaultValue = "4510",
      description = "Port of gRPC; 0 takes a free one. Default: ${DEFAULT-VALUE}")
  private int port;

  @Option(
      names = "--http-port",
      paramLabel = "PORT",
      description = "Port of REST. Default: the next after --port; a free one if that is 0")
  private @Nullable Integer httpPort;

  @Option(
      names = "--address",
      defaultValue = "127.0.0.1",
      description = {
        "IP address to listen on; one that is not loopback needs --tls-certificate.",
        "Default: ${DEFAULT-VALUE}"
      })
  private String address = "";

  @Option(
      names = "--authority",
      paramLabel = "HOST[:PORT]",
      defaultValue = ServiceProperties.DEFAULT_AUTHORITY,
      description = {
        "Public name of a new service, which its ledgers carry for ever; an existing data"
            + " directory",
        "keeps its own. Default: ${DEFAULT-VALUE}"
      })
  private String authority = "";

  @Option(
      names = "--reads",
      paramLabel = "WHO",
      defaultValue = "members",
      description = {
        "Who may read ledgers that are not public: members, with a token they sign, or anyone, on"
            + " a",
        "loopback address only. Default: ${DEFAULT-VALUE}"
      })
  private String reads = "";

  @Option(
      names = "--founders",
      paramLabel = "FILE",
      description = {
        "List of who may found ledgers (docs/access.md). Without one, anybody may on a loopback",
        "address, and nobody elsewhere"
      })
  private @Nullable Path founders;

  @Option(
      names = "--member-journals",
      paramLabel = "PER_SECOND",
      defaultValue = "0",
      description = "What each member may append in a second. Default: without limit")
  private long memberJournals;

  @Option(
      names = "--member-reads",
      paramLabel = "PER_SECOND",
      defaultValue = "0",
      description = "How often each member may read in a second. Default: without limit")
  private long memberReads;

  @Option(
      names = "--trace-to",
      paramLabel = "URL",
      description = "Collector for traces, OTLP over HTTP: http://localhost:4318/v1/traces")
  private @Nullable String traceTo;

  @Option(
      names = "--trace-sampling",
      paramLabel = "SHARE",
      defaultValue = "0.1",
      description = "Of the calls whose callers do not say, 0 to 1. Default: ${DEFAULT-VALUE}")
  private double traceSampling;

  @Option(
      names = "--log-format",
      paramLabel = "FORMAT",
      defaultValue = "text",
      description = {
        "Of the log on standard error: text, or json (Elastic Common Schema).",
        "Default: ${DEFAULT-VALUE}"
      })
  private String logFormat = "";

  @ArgGroup(exclusive = false)
  private @Nullable Tls tls;

  /// Transport security of both ports.
  static final class Tls {
    @Option(
        names = "--tls-certificate",
        paramLabel = "FILE",
        required = true,
        description = "Certificate chain in PEM; read again when it changes")
    private @Nullable Path certificate;

    @Option(
        names = "--tls-private-key",
        paramLabel = "FILE",
        required = true,
        description = "Its key, PKCS#8 in PEM")
    private @Nullable Path privateKey;

    @Option(
        names = "--tls-client-ca",
        paramLabel = "FILE",
        description = "Ask every client for a certificate that one of these signed")
    private @Nullable Path clientCa;

    private TlsProperties properties() {
      return new TlsProperties(text(certificate), text(privateKey), text(clientCa));
    }
  }

  private static @Nullable String text(@Nullable Path path) {
    return path == null ? null : path.toString();
  }

  @Spec private CommandSpec spec = CommandSpec.create();

  private ServiceProperties.Reads reads() {
    return switch (reads) {
      case "members" -> ServiceProperties.Reads.MEMBERS;
      case "anyone" -> ServiceProperties.Reads.ANYONE;
      default -> throw new IllegalArgumentException("--reads is members or anyone, not " + reads);
    };
  }

  private ServiceProperties.LogFormat logFormat() {
    return switch (logFormat) {
      case "text" -> ServiceProperties.LogFormat.TEXT;
      case "json" -> ServiceProperties.LogFormat.JSON;
      default ->
          throw new IllegalArgumentException("--log-format is text or json, not " + logFormat);
    };
  }

  @Override
  public Integer call() throws Exception {
    ServiceProperties properties;
    try {
      properties =
          new ServiceProperties(
              data.toString(),
              authority,
              address,
              port,
              httpPort,
              reads(),
              text(founders),
              tls == null ? null : tls.properties(),
              new LimitsProperties(memberJournals, memberReads),
              new TracingProperties(traceTo, traceSampling),
              logFormat());
    } catch (IllegalArgumentException e) {
      throw new UserErrorException(String.valueOf(e.getMessage()));
    }
    loadLibrariesAhead();
    CountDownLatch closed = new CountDownLatch(1);
    RunningService service = TallystickService.start(LocalNode::open, properties);
    Thread stop =
        Thread.ofPlatform()
            .name("tally-up-stop")
            .unstarted(() -> {
              service.close();
              closed.countDown();
            });
    try {
      Runtime.getRuntime().addShutdownHook(stop);
    } catch (IllegalStateException _) {
      service.close(); // asked to stop before it listened
      return ExitCode.OK;
    }
    spec.commandLine()
        .getOut()
        .println(
            "Listening on %s, REST on %s, data in %s"
                .formatted(
                    service.target(), service.httpTarget(), data.toAbsolutePath().normalize()));
    spec.commandLine().getOut().flush();
    closed.await();
    return ExitCode.OK;
  }

  /// Native libraries are unpacked and loaded while the framework starts: a third of a start. A
  /// failure is met again, and told, by the one who needs the library.
  private static void loadLibrariesAhead() {
    Thread ahead =
        Thread.ofPlatform()
            .name("load-ahead")
            .daemon()
            .unstarted(() -> {
              SignatureProviders.best();
              LocalNode.loadLibraries();
            });
    ahead.setUncaughtExceptionHandler((_, _) -> {});
    ahead.start();
  }
}
