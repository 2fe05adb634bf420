package io.tallystick.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.model.LedgerId;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.StartFailedException;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/// Goal: an application that names a ledger has a handle of it, starts without the service, and is
/// told the truth about it. Method: contexts with and without properties, and one application that
/// runs before its service, beside it, and beside one that was set back.
class LedgerHandleBeanTest {
  private static final String ID = "ab".repeat(32);

  @TempDir private Path home;

  private ApplicationContextRunner with(String... properties) {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                TallyClientAutoConfiguration.class, TallyHealthAutoConfiguration.class))
        .withPropertyValues(
            "tallystick.client.target=127.0.0.1:1",
            "tallystick.client.trust-directory=" + home.resolve("trust"),
            "tallystick.client.retry.time-max=0s")
        .withPropertyValues(properties);
  }

  @Test
  void makesOneOfTheLedgerThatIsNamed() {
    with("tallystick.client.ledger=" + ID)
        .run(context ->
            assertThat(context.getBean(LedgerHandle.class).id()).isEqualTo(LedgerId.fromHex(ID)));
    with().run(context -> assertThat(context).doesNotHaveBean(LedgerHandle.class));
    with("tallystick.client.ledger=abc")
        .run(context ->
            assertThat(context)
                .getFailure()
                .hasRootCauseInstanceOf(IllegalArgumentException.class)
                .hasStackTraceContaining("tallystick.client.ledger is no id of a ledger"));
  }

  @Test
  void takesTheKeyFromAFileOrTheClassPath() throws Exception {
    Path pem = home.resolve("key.pem");
    ClientKey.generate().save(pem);
    String ledger = "tallystick.client.ledger=" + ID;
    for (String location : List.of(pem.toString(), pem.toUri().toString())) {
      with(ledger, "tallystick.client.key=" + location)
          .run(context -> assertThat(context).hasSingleBean(LedgerHandle.class));
    }
    try (URLClassLoader classes =
        new URLClassLoader(new URL[] {home.toUri().toURL()}, getClass().getClassLoader())) {
      with(ledger, "tallystick.client.key=classpath:key.pem")
          .withClassLoader(classes)
          .run(context -> assertThat(context).hasSingleBean(LedgerHandle.class));
    }
    for (String location : List.of("classpath:none.pem", "file:" + home.resolve("none.pem"))) {
      with(ledger, "tallystick.client.key=" + location)
          .run(context ->
              assertThat(context).getFailure().rootCause().hasMessageContaining("none.pem"));
    }
  }

  @Test
  void anApplicationRunsBeforeItsServiceAndNoticesThatItWasSetBack() throws Exception {
    Path key = home.resolve("key.pem");
    Path data = home.resolve("data");
    int port;
    LedgerId id;
    try (RunningService service = start(data, 0)) {
      port = service.port();
      id = found(service, key);
    }
    Path older = home.resolve("older");
    copy(data, older);
    with(
            "tallystick.client.target=127.0.0.1:" + port,
            "tallystick.client.ledger=" + id,
            "tallystick.client.key=" + key)
        .run(context -> {
          LedgerHandle ledger = context.getBean(LedgerHandle.class);
          isDownBefore(context, ledger);
          isUpBeside(context, ledger, data, port);
          isDownForGoodSince(context, ledger, older, port);
        });
  }

  private static void isDownBefore(ApplicationContext context, LedgerHandle ledger) {
    assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
    assertThatThrownBy(() -> ledger.append(JournalDraft.text("too early")))
        .isInstanceOf(ServiceUnavailableException.class);
    assertThatThrownBy(() -> ledger.state().get("key"))
        .isInstanceOf(ServiceUnavailableException.class);
    assertThat(ledger.trustedHead()).isEmpty();
    assertThat(ledger.alarm()).isEmpty();
  }

  private static void isUpBeside(
      ApplicationContext context, LedgerHandle ledger, Path data, int port) throws Exception {
    try (RunningService service = start(data, port)) {
      assertThat(service.port()).isEqualTo(port);
      // A channel that was refused a connection waits a second or so before it tries again, that
      // of the health check and that of the application each for itself.
      long deadline = System.nanoTime() + 30_000_000_000L;
      while (!health(context).getStatus().equals(Status.UP) && System.nanoTime() < deadline) {
        Thread.sleep(50);
      }
      assertThat(appended(ledger, deadline).jsn().value()).isEqualTo(2);
      Health health = health(context);
      assertThat(health.getStatus()).isEqualTo(Status.UP);
      assertThat(health.getDetails())
          .containsEntry("ledger", ledger.id().toString())
          .containsEntry("size", 4L)
          .containsKeys("authority", "version");
      assertThat(String.valueOf(health.getDetails().get("time"))).matches("20.*T.*Z");
    }
  }

  private static VerifiedReceipt appended(LedgerHandle ledger, long deadline) throws Exception {
    while (true) {
      try {
        return ledger.append(JournalDraft.text("in time"));
      } catch (ServiceUnavailableException e) {
        if (e.outcomeUnknown() || System.nanoTime() > deadline) {
          throw e;
        }
        Thread.sleep(50);
      }
    }
  }

  private static void isDownForGoodSince(
      ApplicationContext context, LedgerHandle ledger, Path older, int port) throws Exception {
    try (RunningService service = start(older, port)) {
      assertThat(service.port()).isEqualTo(port);
      long deadline = System.nanoTime() + 30_000_000_000L;
      Throwable met = null;
      while (!(met instanceof VerificationException) && System.nanoTime() < deadline) {
        try {
          ledger.checkpoint();
        } catch (TallyException e) {
          met = e;
        }
      }
      assertThat(met).isInstanceOf(VerificationException.class);
      assertThat(ledger.alarm().orElseThrow().reason()).isEqualTo(Reason.ROLLBACK);
      assertThat(health(context).getDetails()).containsEntry("evidence", "ROLLBACK");
    }
    Health health = health(context);
    assertThat(health.getStatus()).isEqualTo(Status.DOWN);
    assertThat(health.getDetails()).containsEntry("evidence", "ROLLBACK");
  }

  private static Health health(ApplicationContext context) {
    return Objects.requireNonNull(context.getBean(HealthIndicator.class).health());
  }

  private static RunningService start(Path data, int port) throws StartFailedException {
    return TallystickService.start(
        LocalNode::open,
        "--tallystick.data-dir=" + data,
        "--tallystick.port=" + port,
        "--tallystick.http-port=0");
  }

  private LedgerId found(RunningService service, Path pem) throws TallyException, IOException {
    ClientKey key = ClientKey.generate();
    key.save(pem);
    try (TallyClient client =
        TallyClient.connect(ClientConfig.of(service.target(), home.resolve("founder")))) {
      return client.createLedger("started", List.of(key), LedgerOptions.DEFAULT).id();
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }
}
