package io.tallystick.spring;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.ServiceInfo;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.HeadNotWitnessedException;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.client.trust.WitnessQuorum;
import io.tallystick.model.LedgerId;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/// Whether the service answers, found out by asking it, each time, once and not for long; and the
/// newest head of the ledger, verified. Up says that reads get through, not that appends are taken:
/// that its own readiness tells. It is down for good once evidence failed, here or in a call of the
/// application: a service that lied once is not believed because it answers.
final class TallyHealthIndicator implements HealthIndicator, AutoCloseable {
  private final ClientConfig config;
  private final ObjectProvider<LedgerHandle> ledgers;

  /// A connection of its own: the application's client repeats what fails for half a minute.
  private final TallyClient probe;

  private final AtomicReference<@Nullable VerificationException> alarm = new AtomicReference<>();
  private @Nullable LedgerHandle watched;

  TallyHealthIndicator(
      ClientConfig config, Duration timeout, ObjectProvider<LedgerHandle> ledgers) {
    this.config = config;
    this.ledgers = ledgers;
    this.probe = TallyClient.connect(impatient(config, timeout));
  }

  private static ClientConfig impatient(ClientConfig config, Duration timeout) {
    ClientConfig once = config.withRetry(RetryPolicy.NONE).withCallTimeout(timeout);
    WitnessQuorum quorum = config.heads().witnesses();
    return quorum == null ? once : once.withWitnesses(quorum.withWait(Duration.ZERO));
  }

  /// Before the first check: the ledger whose newest head is shown.
  void watch(LedgerId ledger, ClientKey... keys) {
    watched = probe.openLater(ledger, keys);
  }

  @Override
  public Health health() {
    Optional<VerificationException> earlier = earlier();
    if (earlier.isPresent()) {
      return down(earlier.get());
    }
    try {
      return up();
    } catch (VerificationException e) {
      alarm.compareAndSet(null, e);
      return down(e);
    } catch (RequestRefusedException e) {
      return Health.outOfService()
          .withException(e)
          .withDetail("target", config.target().toString())
          .withDetail("refused", e.code())
          .build();
    } catch (HeadNotWitnessedException e) {
      return Health.outOfService()
          .withException(e)
          .withDetail("target", config.target().toString())
          .withDetail("missing", e.missing())
          .build();
    } catch (TallyException e) {
      return Health.down(e).withDetail("target", config.target().toString()).build();
    }
  }

  /// The first evidence that failed since the application started.
  private Optional<VerificationException> earlier() {
    return Stream.concat(
            Optional.ofNullable(alarm.get()).stream(),
            ledgers.stream().flatMap(ledger -> ledger.alarm().stream()))
        .findFirst();
  }

  private Health down(VerificationException failure) {
    return Health.down(failure)
        .withDetail("target", config.target().toString())
        .withDetail("evidence", failure.reason().name())
        .build();
  }

  private Health up() throws TallyException {
    ServiceInfo service = probe.serviceDescription();
    Health.Builder up =
        Health.up()
            .withDetail("target", config.target().toString())
            .withDetail("authority", service.authority().toString())
            .withDetail("version", service.version());
    LedgerHandle ledger = watched;
    if (ledger != null) {
      VerifiedBlock newest = ledger.newestBlock();
      up.withDetail("ledger", ledger.id().toString())
          .withDetail("size", newest.head().size().value())
          .withDetail("time", newest.sealedAt().toString());
    }
    return up.build();
  }

  @Override
  public void close() {
    probe.close();
  }
}
