package io.tallystick.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/// Goal: an application that names a service has a client of it, and is told the truth about it.
/// Method: contexts with and without properties, beans and health, and one beside a real service.
class TallyClientAutoConfigurationTest {
  private static final String NOBODY = "tallystick.client.target=127.0.0.1:1";

  @TempDir private Path home;

  private ApplicationContextRunner application() {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                TallyClientAutoConfiguration.class, TallyHealthAutoConfiguration.class));
  }

  private ApplicationContextRunner with(String... properties) {
    return application()
        .withPropertyValues("tallystick.client.trust-directory=" + home.resolve("trust"))
        .withPropertyValues(properties);
  }

  @Test
  void makesNothingWhereNoServiceIsNamed() {
    with()
        .run(context ->
            assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean(TallyClient.class)
                .doesNotHaveBean(HealthIndicator.class));
  }

  @Test
  void hasTheClientsOwnDefaults() {
    with(NOBODY)
        .run(context ->
            assertThat(context.getBean(ClientConfig.class))
                .isEqualTo(ClientConfig.of("127.0.0.1:1", home.resolve("trust"))));
  }

  @Test
  void takesEachPropertyByItsType() {
    with(
            NOBODY,
            "tallystick.client.call-timeout=3s",
            "tallystick.client.in-flight-max=2MB",
            "tallystick.client.retry.backoff-min=10ms",
            "tallystick.client.retry.backoff-max=20ms",
            "tallystick.client.retry.time-max=1s")
        .run(context ->
            assertThat(context.getBean(ClientConfig.class))
                .isEqualTo(
                    ClientConfig.of("127.0.0.1:1", home.resolve("trust"))
                        .withCallTimeout(Duration.ofSeconds(3))
                        .withInFlightBytesMax(2 << 20)
                        .withRetry(
                            new RetryPolicy(
                                Duration.ofMillis(10),
                                Duration.ofMillis(20),
                                Duration.ofSeconds(1)))));
  }

  @Test
  void readsWithTheKeyAndTheCertificatesItIsGiven() throws Exception {
    ClientKey key = ClientKey.generate();
    key.save(home.resolve("reader.pem"));
    with(NOBODY, "tallystick.client.reader-key=" + home.resolve("reader.pem"))
        .run(context -> {
          ClientConfig config = context.getBean(ClientConfig.class);
          assertThat(Objects.requireNonNull(config.reader()).kid()).isEqualTo(key.kid());
          assertThat(config.tls()).isNull();
        });
    with(NOBODY, "tallystick.client.tls.issuers=" + home.resolve("missing.pem"))
        .run(context ->
            assertThat(context).getFailure().rootCause().hasMessageContaining("missing.pem"));
    with("tallystick.client.target=ledger.example.com:4510")
        .run(context -> assertThat(context.getBean(ClientConfig.class).tls()).isNotNull());
  }

  @Test
  void failsWithThePropertyThatIsMissingOrWrong() {
    application()
        .withPropertyValues(NOBODY)
        .run(context ->
            assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessage("tallystick.client.trust-directory is not set"));
    with(NOBODY, "tallystick.client.call-timeout=0s")
        .run(context ->
            assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessage("callTimeout PT0S is not positive"));
  }

  @Test
  void takesSeveralAddressesOfOneService() {
    with("tallystick.client.target=127.0.0.1:1, localhost:2")
        .run(context ->
            assertThat(context.getBean(ClientConfig.class))
                .isEqualTo(ClientConfig.of("127.0.0.1:1,localhost:2", home.resolve("trust"))));
    with("tallystick.client.target=127.0.0.1:1,127.0.0.1:1")
        .run(context ->
            assertThat(context)
                .getFailure()
                .hasRootCauseMessage("address 127.0.0.1:1 is there twice")
                .hasStackTraceContaining(
                    "tallystick.client.target: address 127.0.0.1:1 is there twice"));
  }

  @Test
  void leavesAnApplicationsOwnClientToIt() {
    TallyClient own = TallyClient.connect(ClientConfig.of("127.0.0.1:2", home));
    with(NOBODY)
        .withBean("own", TallyClient.class, () -> own)
        .run(context -> assertThat(context.getBean(TallyClient.class)).isSameAs(own));
  }

  @Test
  void anApplicationsOwnClientNeedsNoProperties() {
    TallyClient own = TallyClient.connect(ClientConfig.of("127.0.0.1:2", home));
    application()
        .withPropertyValues(NOBODY)
        .withBean("own", TallyClient.class, () -> own)
        .run(context ->
            assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean(ClientConfig.class)
                .getBean(TallyClient.class)
                .isSameAs(own));
  }

  @Test
  void makesAClientOfAnApplicationsOwnConfig() {
    application()
        .withBean(ClientConfig.class, () -> ClientConfig.of("127.0.0.1:2", home))
        .run(context -> assertThat(context).hasNotFailed().hasSingleBean(TallyClient.class));
  }

  @Test
  void hasNoHealthWhereThereIsNoneOrItIsOff() {
    with(NOBODY, "management.health.tallystick.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(HealthIndicator.class));
    with(NOBODY)
        .withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
        .run(context -> assertThat(context).hasNotFailed().hasSingleBean(TallyClient.class));
  }

  @Test
  void isDownWhileNobodyIsThere() {
    with(NOBODY)
        .run(context -> {
          Health health = health(context.getBean(HealthIndicator.class));
          assertThat(health.getStatus()).isEqualTo(Status.DOWN);
          assertThat(health.getDetails()).containsEntry("target", "127.0.0.1:1");
          assertThat(health.getDetails()).containsKey("error");
        });
  }

  private static Health health(HealthIndicator indicator) {
    Health health = indicator.health();
    assertThat(health).isNotNull();
    return Objects.requireNonNull(health);
  }

  @Test
  void appendsToARealServiceAndIsDownOnceThatIsGone() throws Exception {
    RunningService service =
        TallystickService.start(
            LocalNode::open,
            "--tallystick.data-dir=" + home.resolve("data"),
            "--tallystick.port=0");
    TallyClient[] used = new TallyClient[1];
    with("tallystick.client.target=" + service.target())
        .run(context -> {
          try (service) {
            HealthIndicator indicator = context.getBean(HealthIndicator.class);
            assertThat(health(indicator).getStatus()).isEqualTo(Status.UP);
            assertThat(health(indicator).getDetails()).containsEntry("authority", "localhost");
            used[0] = context.getBean(TallyClient.class);
            LedgerHandle ledger =
                used[0].createLedger(
                    "starter", List.of(ClientKey.generate()), LedgerOptions.DEFAULT);
            assertThat(ledger.append(JournalDraft.text("a journal")).jsn().value()).isEqualTo(2);
          }
          assertThat(health(context.getBean(HealthIndicator.class)).getStatus())
              .isEqualTo(Status.DOWN);
        });
    assertThatThrownBy(used[0]::serviceDescription).isNotNull();
  }

  @Test
  void describesEachPropertyToEditors() throws Exception {
    try (var metadata =
        getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
      String json =
          new String(Objects.requireNonNull(metadata).readAllBytes(), StandardCharsets.UTF_8);
      assertThat(json)
          .contains(
              "tallystick.client.target",
              "tallystick.client.trust-directory",
              "tallystick.client.call-timeout",
              "tallystick.client.retry.time-max",
              "tallystick.client.in-flight-max",
              "tallystick.client.reader-key",
              "tallystick.client.tls.private-key",
              "tallystick.client.health-timeout",
              "Without it there is no client.");
    }
  }
}
