package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a service made of the parts that the build wrote down is the service that the framework
/// would have put together. Method: one of each kind is asked the same over REST: statuses, headers
/// and bodies are compared, and the names of all meters.
class ContextOfBuildTest {
  private static final List<String> PATHS =
      List.of(
          "/actuator/health",
          "/actuator/health/liveness",
          "/actuator/health/readiness",
          "/actuator/health/no-such-part",
          "/actuator/info",
          "/actuator/env",
          "/actuator",
          "/v1/openapi.yaml",
          "/v1/ledgers",
          "/v1/ledgers?limit=nonsense",
          "/v1/ledgers?no-such-parameter=1",
          "/v1/no-such-route",
          "/error",
          "/");

  private static final String TYPE = "# TYPE ";

  @TempDir private Path folder;
  private final HttpClient http = HttpClient.newHttpClient();

  /// `mvn verify` packages a module before it tests the next; `mvn test` does not.
  @BeforeEach
  void needsAPackagedProxy() {
    URL code = TallystickService.class.getProtectionDomain().getCodeSource().getLocation();
    assumeTrue(code.getPath().endsWith(".jar"), "ledger-proxy is not packaged");
    assertThat(TallystickService.hasContextOfBuild()).isTrue();
  }

  @Test
  void answersAsAServicePutTogetherAtItsStart() throws Exception {
    try (ServiceProcess built =
            ServiceProcess.start(folder.resolve("built"), folder.resolve("log"));
        RunningService plain =
            TallystickService.start(
                LocalNode::open, ServiceProperties.of(folder.resolve("plain"), 0))) {
      assertThat(argumentsOf(built)).contains("-Dspring.aot.enabled=true");
      List<String> answers = answers(built.httpTarget());
      assertThat(answers).isEqualTo(answers(plain.httpTarget())).anyMatch(it -> it.contains("UP"));
      assertThat(meters(built.httpTarget()))
          .isEqualTo(meters(plain.httpTarget()))
          .contains("ledger_append_seconds", "jvm_memory_used_bytes");
    }
  }

  /// Where health is, is decided by a run and not by the build.
  @Test
  @Tag("long")
  void hasAPortForHealthIfTheRunSaysSo() throws Exception {
    List<String> more = List.of("--management-port", "0");
    Path data = folder.resolve("data");
    try (ServiceProcess built =
        ServiceProcess.start(data, folder.resolve("log"), 0, Tally.class, more)) {
      assertThat(argumentsOf(built)).contains("-Dspring.aot.enabled=true");
      String own =
          "http://127.0.0.1:"
              + Files.readString(data.resolve(RunningService.MANAGEMENT_PORT_FILE)).strip();
      assertThat(get(own + "/actuator/health/readiness").statusCode()).isEqualTo(200);
      assertThat(meters(own)).contains("ledger_append_seconds");
      assertThat(get(own + "/v1/ledgers").statusCode()).isEqualTo(404);
      assertThat(get(built.httpTarget() + "/actuator/health").statusCode()).isEqualTo(404);
      assertThat(get(built.httpTarget() + "/v1/ledgers").statusCode()).isEqualTo(200);
    }
  }

  /// What a bean's method throws comes out of code of the build in other wrappings.
  @Test
  void saysPlainlyWhyItDoesNotStart() {
    Path founders = folder.resolve("no-such-file");
    assertThatThrownBy(() ->
            ServiceProcess.start(
                folder.resolve("data"),
                folder.resolve("log"),
                0,
                Tally.class,
                List.of("--founders", founders.toString())))
        .hasMessageContaining("ended with status " + TallystickService.EXIT_START_FAILED)
        .hasMessageContaining("cannot use " + founders + ": it does not exist");
  }

  /// It would win over the settings of a run.
  @Test
  void hasNoLoggingOfTheBuild() {
    assertThat(getClass().getClassLoader().getResource("META-INF/spring/logback-model")).isNull();
  }

  private static String argumentsOf(ServiceProcess service) {
    return ProcessHandle.of(service.pid()).flatMap(it -> it.info().commandLine()).orElse("");
  }

  private List<String> answers(String target) throws Exception {
    List<String> answers = new ArrayList<>();
    for (String path : PATHS) {
      HttpResponse<String> answer = get(target + path);
      String body = answer.body().replaceAll("\"trace_?[iI]d\":\"[0-9a-f]*\"", "");
      answers.add(
          String.format(
              Locale.ROOT,
              "%s %d %s %s",
              path,
              answer.statusCode(),
              answer.headers().map().keySet(),
              body));
    }
    return answers;
  }

  /// The families of meters, without those that are there after a collection only.
  private Set<String> meters(String target) throws Exception {
    return get(target + "/actuator/prometheus")
        .body()
        .lines()
        .filter(line -> line.startsWith(TYPE))
        .map(line -> line.substring(TYPE.length(), line.lastIndexOf(' ')))
        .filter(name -> !name.startsWith("jvm_gc_"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private HttpResponse<String> get(String uri) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(uri)).build();
    return http.send(request, HttpResponse.BodyHandlers.ofString());
  }
}
