package io.tallystick.client;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.model.LedgerId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/// A fake service, a client of it, and a ledger with one owner.
final class ServiceFixture implements AutoCloseable {
  static final RetryPolicy FAST =
      new RetryPolicy(Duration.ofMillis(2), Duration.ofMillis(10), Duration.ofSeconds(5));

  /// Gives up soon; an append is still awaited for the timeout of a call.
  static final RetryPolicy HASTY = FAST.withTimeMax(Duration.ofMillis(300));

  final FakeService service = new FakeService();
  final ClientKey owner = ClientKey.generate();
  final Path trust;
  final TallyClient client;
  final LedgerHandle ledger;

  ServiceFixture(Path trust) throws TallyException {
    this(trust, LedgerOptions.DEFAULT);
  }

  ServiceFixture(Path trust, LedgerOptions options) throws TallyException {
    this.trust = trust;
    this.client = connect(service, trust);
    this.ledger = client.createLedger("test", List.of(owner), options);
  }

  static TallyClient connect(FakeService service, Path trust) {
    return connect(service, trust, FAST);
  }

  static TallyClient connect(FakeService service, Path trust, RetryPolicy retry) {
    return TallyClient.connect(
        ClientConfig.of(service.target(), trust).withRetry(retry).withCallTimeout(FAST.timeMax()));
  }

  LedgerId id() {
    return ledger.id();
  }

  FakeLedger remote() {
    return service.ledger(id());
  }

  static VerificationException refusal(ThrowingCallable call) {
    return catchThrowableOfType(VerificationException.class, call);
  }

  @Override
  public void close() {
    client.close();
    service.close();
  }
}
