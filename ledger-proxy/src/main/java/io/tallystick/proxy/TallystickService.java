package io.tallystick.proxy;

import static java.util.Map.entry;

import io.tallystick.durable.PrivateFile;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.web.context.support.StandardServletEnvironment;

/// The service as one process: node, registry, gRPC and REST fronts.
public final class TallystickService {
  static final Duration GRACE = Duration.ofSeconds(10);

  /// The exit status of `tally up` when the service could not start.
  public static final int EXIT_START_FAILED = 5;

  private static final String SERVER_DIRECTORY = "http";

  private TallystickService() {}

  /// The entry that the build runs, which writes down the parts of the service as code and opens no
  /// node.
  ///
  /// @throws StartFailedException in any other process
  public static void main(String[] args) throws StartFailedException {
    start(
        (_, _, _, _, _) -> {
          throw new IllegalStateException("there is no node here; start the service by: tally up");
        },
        args);
  }

  /// Starts the service and returns when it listens.
  ///
  /// @throws StartFailedException saying in one line why not
  public static RunningService start(NodeOpener opener, ServiceProperties properties)
      throws StartFailedException {
    return start(opener, properties.arguments().toArray(String[]::new));
  }

  /// The same without a file of settings.
  public static RunningService start(NodeOpener opener, String... args)
      throws StartFailedException {
    return start(opener, SettingsFile.NONE, args);
  }

  /// Starts the service and returns when it listens.
  ///
  /// @param file settings for what neither the arguments nor the environment says
  /// @param args settings as `--tallystick.port=0`; what is not given comes from the environment
  ///   (`TALLYSTICK_PORT`), the file or the defaults
  /// @throws StartFailedException saying in one line why not
  public static RunningService start(NodeOpener opener, SettingsFile file, String... args)
      throws StartFailedException {
    Bound bound = new Bound(opener);
    ConfigurableApplicationContext context;
    try {
      context = application(bound, file).run(args);
    } catch (SpringApplication.AbandonedRunException e) {
      throw e; // the build only looks at the parts
    } catch (RuntimeException e) {
      bound.abandon(e);
      throw StartFailedException.of(e, bound.target(), bound.httpTarget());
    }
    try {
      return RunningService.of(context, bound.properties());
    } catch (IOException | IllegalStateException e) { // the latter: asked to stop meanwhile
      context.close();
      throw StartFailedException.of(e, bound.target(), bound.httpTarget());
    }
  }

  /// The settings of a service that is started with these arguments: they come first, then the
  /// variables of the environment, then the file, then the defaults.
  ///
  /// @throws IllegalArgumentException saying in one line what is wrong with them, a name in the
  ///   file that no setting has among it
  public static ServiceProperties settings(
      List<String> arguments, Map<String, String> environment, SettingsFile file) {
    StandardEnvironment sources = new StandardEnvironment();
    sources
        .getPropertySources()
        .replace(
            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
            new SystemEnvironmentPropertySource(
                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                Map.copyOf(environment)));
    sources
        .getPropertySources()
        .addFirst(new SimpleCommandLinePropertySource(arguments.toArray(String[]::new)));
    sources.getPropertySources().addLast(new MapPropertySource("file of settings", file.values()));
    try {
      SettingNames names = new SettingNames();
      ServiceProperties settings = ServiceProperties.bind(Binder.get(sources), names);
      names.refuseOthersIn(file);
      return settings;
    } catch (BindException e) {
      throw new IllegalArgumentException(SettingNames.whatIsWrong(e), e);
    }
  }

  private static SpringApplication application(Bound bound, SettingsFile file) {
    SpringApplication application = new SpringApplication(ServiceConfiguration.class);
    application.setMainApplicationClass(TallystickService.class); // names what the build wrote down
    application.setWebApplicationType(WebApplicationType.SERVLET);
    application.setBannerMode(Banner.Mode.OFF);
    application.setLogStartupInfo(false);
    Map<String, Object> last = new HashMap<>(file.values());
    last.put("logging.register-shutdown-hook", "false"); // the last line is that it has stopped
    last.put(
        "logging.config",
        "classpath:io/tallystick/proxy/logback-${tallystick.log-format:text}.xml");
    application.setDefaultProperties(last);
    if (isBuild()) {
      application.setEnvironment(new BuildEnvironment());
    }
    application.addInitializers(context -> {
      bound.bind(context.getEnvironment());
      if (!isBuild()) {
        context.getBeanFactory().registerSingleton("nodeOpening", bound.open());
      }
    });
    return application;
  }

  /// The framework's settings that follow from ours.
  private static Map<String, Object> settings(ServiceProperties properties) {
    Map<String, Object> settings = new HashMap<>(fixedSettings(properties));
    serverFolder(properties).ifPresent(it -> settings.put("server.tomcat.basedir", it.toString()));
    if (properties.listen().tls() != null) {
      settings.putAll(TransportSecurity.settings(properties.listen().tls()));
    }
    return settings;
  }

  /// The HTTP server's own folder, in which it keeps nothing: there may be no temporary folder that
  /// can be written to. Empty if it cannot be made: whoever needs the data directory tells why.
  private static Optional<Path> serverFolder(ServiceProperties properties) {
    Path folder = properties.dataPath().toAbsolutePath().resolve(SERVER_DIRECTORY);
    if (isBuild()) {
      return Optional.empty();
    }
    try {
      PrivateFile.createDirectory(folder);
      return Optional.of(folder);
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  private static Map<String, Object> fixedSettings(ServiceProperties properties) {
    return Map.ofEntries(
        entry("spring.grpc.server.health.enabled", false),
        entry("spring.grpc.server.reflection.enabled", false), // the edge has it, if it is wanted
        // Calls are timed and traced by the edge, for a fraction of what this takes of each.
        entry("spring.grpc.server.observation.enabled", false),
        entry("server.address", properties.listen().literalAddress()),
        entry("server.port", properties.listen().wantedHttpPort()),
        entry("server.shutdown", "graceful"),
        entry("spring.lifecycle.timeout-per-shutdown-phase", GRACE),
        entry("spring.threads.virtual.enabled", true),
        entry("spring.web.resources.add-mappings", false),
        // Nobody here wants a form: parsing one fails in its own ways, and puts parts on the disk.
        entry("spring.servlet.multipart.enabled", false),
        entry("spring.mvc.formcontent.filter.enabled", false),
        // Bodies are bytes to us, and answers say what they are.
        entry("spring.servlet.encoding.enabled", false),
        entry("spring.mvc.publish-request-handled-events", false),
        entry("management.endpoints.web.discovery.enabled", false),
        entry("management.endpoints.web.exposure.include", "health,prometheus"),
        entry("management.endpoint.health.probes.enabled", true),
        entry("management.endpoint.health.show-details", "always"),
        // They tell paths and certificates to whoever asks.
        entry("management.health.diskspace.enabled", false),
        entry("management.health.ssl.enabled", false),
        entry("management.endpoint.health.group.readiness.include", "readinessState,shard"));
  }

  /// The version of the software; `development` when it does not run from a jar.
  public static String version() {
    return Objects.requireNonNullElse(
        TallystickService.class.getPackage().getImplementationVersion(), "development");
  }

  /// Whether the build wrote down the parts of the service as code, which a process started with
  /// `-Dspring.aot.enabled=true` then takes; without, it works them out. So it is in the jar: a
  /// folder of classes may hold what an earlier build wrote.
  public static boolean hasContextOfBuild() {
    URL code =
        TallystickService.class.getResource(
            "TallystickService__ApplicationContextInitializer.class");
    return code != null && code.getProtocol().equals("jar");
  }

  /// Whether this is the build, which only looks at the parts.
  private static boolean isBuild() {
    return Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING);
  }

  /// Has no variables: those of whoever builds must not decide what everybody's service is.
  private static final class BuildEnvironment extends StandardServletEnvironment {
    @Override
    protected void customizePropertySources(MutablePropertySources sources) {}
  }

  /// The settings as bound at the start of a run, what the framework is told because of them, and
  /// the node that opens by them.
  private static final class Bound {
    private final NodeOpener opener;
    private @Nullable NodeOpening opening;
    private ServiceProperties properties =
        ServiceProperties.of(
            Path.of(ServiceProperties.DEFAULT_DATA_DIR), ServiceProperties.DEFAULT_PORT);

    Bound(NodeOpener opener) {
      this.opener = opener;
    }

    ServiceProperties properties() {
      return properties;
    }

    String target() {
      return properties.listen().target(properties.listen().port());
    }

    String httpTarget() {
      return properties.listen().target(properties.listen().wantedHttpPort());
    }

    /// It would open a port of its own, on every address and without our certificates.
    private static void refuse(ConfigurableEnvironment environment, String setting) {
      if (environment.containsProperty(setting)) {
        throw new IllegalArgumentException(
            setting + " is set; the setting for that is tallystick.management.port");
      }
    }

    /// First in the order of sources, so that no other setting opens another address.
    void bind(ConfigurableEnvironment environment) {
      refuse(environment, "management.server.port");
      properties = ServiceProperties.bind(environment);
      environment
          .getPropertySources()
          .addFirst(new MapPropertySource("tallystick", settings(properties)));
    }

    NodeOpening open() {
      opening = NodeOpening.begin(properties, opener);
      return opening;
    }

    void abandon(RuntimeException failure) {
      try {
        if (opening != null) {
          opening.abandon();
        }
      } catch (IOException e) {
        failure.addSuppressed(e);
      }
    }
  }
}
