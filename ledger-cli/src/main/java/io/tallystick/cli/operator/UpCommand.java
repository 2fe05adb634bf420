package io.tallystick.cli.operator;

import io.tallystick.cli.option.GpuOptions;
import io.tallystick.cli.process.NativeFolder;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.proxy.NetworkStack;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.SettingsFile;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Runs the whole service in one process until it is told to stop.
@Command(
    name = "up",
    description = {
      "Run the service in this process until it is interrupted.",
      "It listens on loopback. To listen on another address it needs a certificate."
    },
    mixinStandardHelpOptions = true)
public final class UpCommand implements Callable<Integer> {
  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "${env:TALLY_DATA:-./data}",
      description =
          "The data directory, made if it does not exist (environment: TALLY_DATA). Default: "
              + "${DEFAULT-VALUE}")
  private Path data = Path.of("");

  @Option(
      names = "--keys",
      paramLabel = "DIR",
      description =
          "A folder with the service's keys, note.pem and receipt.pem, in which none is ever made. "
              + "Default: in the data directory, where the first start makes them")
  private @Nullable Path keys;

  @Option(
      names = "--port",
      defaultValue = "4510",
      description = "The port for gRPC; 0 takes a free one. Default: ${DEFAULT-VALUE}")
  private int port;

  @Option(
      names = "--http-port",
      paramLabel = "PORT",
      description =
          "The port for REST. Default: the port after --port, or a free one if --port is 0")
  private @Nullable Integer httpPort;

  @Option(
      names = "--address",
      defaultValue = "127.0.0.1",
      description =
          "The IP address to listen on; an address that is not loopback needs "
              + "--tls-certificate. Default: ${DEFAULT-VALUE}")
  private String address = "";

  @Option(
      names = "--authority",
      paramLabel = "HOST[:PORT]",
      defaultValue = ServiceProperties.DEFAULT_AUTHORITY,
      description =
          "The public name of a new service. Its ledgers carry the name for ever; an "
              + "existing data directory keeps its own. Default: ${DEFAULT-VALUE}")
  private String authority = "";

  @Option(
      names = "--reads",
      paramLabel = "WHO",
      defaultValue = "members",
      description =
          "Who may read ledgers that are not public: members, with a token they sign; or "
              + "anyone, which needs a loopback address. Default: ${DEFAULT-VALUE}")
  private String reads = "";

  @Option(
      names = "--founders",
      paramLabel = "FILE",
      description =
          "The list of founders (docs/access.md). Without a list anybody may found ledgers "
              + "on a loopback address, and nobody on another address")
  private @Nullable Path founders;

  @Option(
      names = "--member-ca",
      paramLabel = "FILE",
      description =
          "Certificates in PEM: a grant may name certificates that lead to one of them. Repeat it "
              + "for more files. Default: a grant may name none")
  private List<Path> memberCa = List.of();

  @Option(
      names = "--member-journals",
      paramLabel = "PER_SECOND",
      defaultValue = "0",
      description = "How many journals each member may append in a second. Default: no limit")
  private long memberJournals;

  @Option(
      names = "--member-reads",
      paramLabel = "PER_SECOND",
      defaultValue = "0",
      description = "How often each member may read in a second. Default: no limit")
  private long memberReads;

  @Option(
      names = "--trace-to",
      paramLabel = "URL",
      description =
          "Where to send traces, by OTLP over HTTP, as in http://localhost:4318/v1/traces. "
              + "Default: nowhere")
  private @Nullable String traceTo;

  @Option(
      names = "--trace-sampling",
      paramLabel = "SHARE",
      defaultValue = "0.1",
      description =
          "The share of calls to trace, 0 to 1, where the caller has not decided. Default: "
              + "${DEFAULT-VALUE}")
  private double traceSampling;

  @Option(
      names = "--log-format",
      paramLabel = "FORMAT",
      defaultValue = "text",
      description =
          "The format of the log on standard error: text or json (Elastic Common Schema). "
              + "Default: ${DEFAULT-VALUE}")
  private String logFormat = "";

  @Option(
      names = "--ipv6",
      description = "Use IPv6 beside IPv4. An --address of IPv6 needs it. Default: IPv4 alone")
  private boolean ipv6;

  @Option(
      names = "--grpc-reflection",
      description = "Tell anybody who asks gRPC its services and messages. Default: nobody")
  private boolean grpcReflection;

  @Option(
      names = "--insecure-dev",
      description =
          "For development, as in a container: any --address without TLS, and anybody may found "
              + "ledgers. Refuses an authority that is not localhost")
  private boolean insecureDev;

  @Option(
      names = "--management-port",
      paramLabel = "PORT",
      defaultValue = "${env:TALLY_MANAGEMENT_PORT}",
      description =
          "A port for health and metrics alone, plain HTTP; 0 takes a free one (environment: "
              + "TALLY_MANAGEMENT_PORT). Default: they are on the port for REST")
  private @Nullable Integer managementPort;

  @Option(
      names = "--management-address",
      paramLabel = "IP",
      defaultValue = "${env:TALLY_MANAGEMENT_ADDRESS:-127.0.0.1}",
      description =
          "The IP address of --management-port (environment: TALLY_MANAGEMENT_ADDRESS). Default: "
              + "${DEFAULT-VALUE}")
  private String managementAddress = "";

  @Option(
      names = "--t-ledger",
      description =
          "Keep a T-Ledger: a public ledger to which other ledgers submit their heads. It is"
              + " founded on the first start")
  private boolean tLedger;

  @Option(
      names = "--submitters",
      paramLabel = "FILE",
      description =
          "Who may submit heads to the T-Ledger: lines `ledger ID`, `invitation SHA-256 LEDGERS`,"
              + " `anybody LEDGERS` an hour (docs/operations.md). Default: nobody")
  private @Nullable Path submitters;

  @Option(
      names = "--settings",
      paramLabel = "FILE",
      defaultValue = "${env:TALLY_SETTINGS}",
      description =
          "A file with settings of docs/configuration.md, lines such as tallystick.port=4510; "
              + "options and variables come before it (environment: TALLY_SETTINGS)")
  private @Nullable Path settingsFile;

  @Mixin private LeavingOptions leaving = new LeavingOptions();
  @Mixin private BlockOptions blocks = new BlockOptions();
  @Mixin private StateOptions states = new StateOptions();
  @Mixin private GpuOptions gpu = new GpuOptions();

  @ArgGroup(exclusive = false)
  private @Nullable SubmitOptions submit;

  @ArgGroup(exclusive = false)
  private @Nullable Tls tls;

  @ArgGroup(exclusive = false)
  private @Nullable AnchoringOptions time;

  @ArgGroup(exclusive = false)
  private @Nullable WitnessedOptions witnessed;

  /// Transport security of both ports.
  static final class Tls {
    @Option(
        names = "--tls-certificate",
        paramLabel = "FILE",
        required = true,
        description =
            "The certificate chain in PEM; the service reads the file again when it changes")
    private @Nullable Path certificate;

    @Option(
        names = "--tls-private-key",
        paramLabel = "FILE",
        required = true,
        description = "The certificate's private key, PKCS#8 in PEM")
    private @Nullable Path privateKey;

    @Option(
        names = "--tls-client-ca",
        paramLabel = "FILE",
        description =
            "Ask every client for a certificate that one of the certificates in this file "
                + "signed")
    private @Nullable Path clientCa;

    private void addTo(GivenSettings given) {
      given.add("--tls-certificate", "tls.certificate", certificate);
      given.add("--tls-private-key", "tls.private-key", privateKey);
      given.add("--tls-client-ca", "tls.client-ca", clientCa);
    }
  }

  @Spec private CommandSpec spec = CommandSpec.create();

  private static String oneOf(String option, String value, String one, String other)
      throws UsageException {
    if (!value.equals(one) && !value.equals(other)) {
      throw new UsageException(option + " is " + one + " or " + other + ", not " + value);
    }
    return value;
  }

  /// The settings given here; the service takes all others from its variables and its defaults.
  private GivenSettings given(Map<String, String> environment) throws UsageException {
    GivenSettings given = new GivenSettings(spec.commandLine().getParseResult(), environment);
    given.add("--data", "data-dir", data);
    given.add("--keys", "keys-dir", keys);
    given.add("--port", "port", port);
    given.add("--http-port", "http-port", httpPort);
    given.add("--address", "address", address);
    given.add("--authority", "authority", authority);
    given.add("--reads", "reads", oneOf("--reads", reads, "members", "anyone"));
    given.add("--founders", "founders", founders);
    given.addAll("--member-ca", "members.ca", memberCa);
    given.add("--member-journals", "limits.member-journals-per-second", memberJournals);
    given.add("--member-reads", "limits.member-reads-per-second", memberReads);
    given.add("--trace-to", "tracing.endpoint", traceTo);
    given.add("--trace-sampling", "tracing.sampling", traceSampling);
    given.add("--log-format", "log-format", oneOf("--log-format", logFormat, "text", "json"));
    given.add("--ipv6", "ipv6", ipv6);
    given.add("--grpc-reflection", "grpc-reflection", grpcReflection);
    given.add("--insecure-dev", "insecure-dev", insecureDev);
    given.add("--management-port", "management.port", managementPort);
    given.add("--management-address", "management.address", managementAddress);
    given.add("--t-ledger", "time.t-ledger", tLedger);
    given.add("--submitters", "time.submitters", submitters);
    given.add("--gpu", "gpu", gpu.mode().name().toLowerCase(Locale.ROOT));
    leaving.addTo(given);
    blocks.addTo(given);
    states.addTo(given);
    addGroupsTo(given);
    return given;
  }

  private void addGroupsTo(GivenSettings given) {
    if (tls != null) {
      tls.addTo(given);
    }
    if (time != null) {
      time.addTo(given);
    }
    if (submit != null) {
      submit.addTo(given);
    }
    if (witnessed != null) {
      witnessed.addTo(given);
    }
  }

  private SettingsFile settingsFile() throws UsageException, IOException {
    if (settingsFile == null) {
      return SettingsFile.NONE;
    }
    try {
      return SettingsFile.read(settingsFile);
    } catch (IllegalArgumentException e) {
      throw new UsageException(LocalPaths.shown(settingsFile) + ": " + e.getMessage());
    }
  }

  /// @param environment the variables of this process, or what stands for them
  UpSettings settings(Map<String, String> environment) throws UsageException, IOException {
    return settings(environment, settingsFile());
  }

  private UpSettings settings(Map<String, String> environment, SettingsFile file)
      throws UsageException {
    List<String> arguments = given(environment).arguments();
    try {
      return new UpSettings(
          arguments, file, TallystickService.settings(arguments, environment, file));
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  /// @param arguments with which the service is started
  /// @param file for what the arguments and the environment do not say
  /// @param properties what it goes by then
  record UpSettings(List<String> arguments, SettingsFile file, ServiceProperties properties) {
    UpSettings {
      arguments = List.copyOf(arguments);
    }
  }

  @Override
  public Integer call() throws Exception {
    SettingsFile file = settingsFile();
    String ipv6Variable = System.getenv("TALLYSTICK_IPV6");
    // Before the settings are read: the first address that is parsed loads the JVM's network.
    NetworkStack.choose(
        ipv6 || (ipv6Variable == null ? file.ipv6() : Boolean.parseBoolean(ipv6Variable)));
    UpSettings settings = settings(System.getenv(), file);
    ServiceProperties properties = settings.properties();
    Path directory = properties.dataPath();
    if (Files.exists(directory) && !Files.isWritable(directory)) { // before others stumble over it
      Output.err(spec.commandLine())
          .println(
              String.format(
                  Locale.ROOT,
                  "tally: cannot use %s: it may not be written",
                  LocalPaths.shown(directory)));
      return ExitCode.UNAVAILABLE;
    }
    NativeFolder.use(LocalNode.libraryFolder(properties.dataPath()));
    loadLibrariesAhead(properties.dataPath());
    CountDownLatch closed = new CountDownLatch(1);
    RunningService service =
        TallystickService.start(
            LocalNode::open, settings.file(), settings.arguments().toArray(String[]::new));
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
    Output.out(spec.commandLine())
        .println(
            String.format(
                Locale.ROOT,
                "%sListening on %s, REST on %s, %sdata in %s",
                properties.listen().insecureDev() ? "INSECURE, for development alone. " : "",
                service.target(),
                service.httpTarget(),
                service
                    .managementTarget()
                    .map(at -> "health and metrics on " + at + ", ")
                    .orElse(""),
                LocalPaths.shown(directory.toAbsolutePath().normalize())));
    closed.await();
    return ExitCode.OK;
  }

  /// Native libraries are unpacked and loaded while the framework starts: a third of a start. A
  /// failure is met again, and told, by the one who needs the library.
  private static void loadLibrariesAhead(Path dataPath) {
    Thread ahead =
        Thread.ofPlatform()
            .name("load-ahead")
            .daemon()
            .unstarted(() -> {
              SignatureProviders.best();
              LocalNode.loadLibraries(dataPath);
            });
    ahead.setUncaughtExceptionHandler((_, _) -> {});
    ahead.start();
  }
}
