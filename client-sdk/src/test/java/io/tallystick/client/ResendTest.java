package io.tallystick.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.Status;
import io.tallystick.api.v1.Problem;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What becomes of a request whose outcome was unknown: it is found, it is done, it is known that
/// it was not, or it stays unknown.
class ResendTest {
  private static final Problem EXPIRED = FakeService.problem("expired", false);

  @TempDir Path trust;
  private ServiceFixture fixture;

  @BeforeEach
  void found() throws TallyException {
    fixture = new ServiceFixture(trust);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  /// Two journals, sent; whether they are committed is as the fake was told.
  private PendingRequest lost() throws Exception {
    ClientConfig config =
        ClientConfig.of(fixture.service.target(), trust)
            .withRetry(RetryPolicy.NONE)
            .withCallTimeout(Duration.ofMillis(500));
    try (TallyClient client = TallyClient.connect(config)) {
      LedgerHandle opened = client.open(fixture.id(), fixture.owner);
      ServiceUnavailableException lost =
          catchThrowableOfType(
              ServiceUnavailableException.class,
              () ->
                  opened.appendBatch(
                      List.of(JournalDraft.text("first"), JournalDraft.text("second"))));
      return PendingRequest.decode(lost.pending().orElseThrow());
    }
  }

  private PendingRequest committed() throws Exception {
    fixture.service.breaksAfterCommit = 1;
    return lost();
  }

  private PendingRequest swallowed() throws Exception {
    fixture.service.silences = 1;
    return lost();
  }

  private RequestRefusedException refusal(PendingRequest pending) {
    return catchThrowableOfType(
        RequestRefusedException.class, () -> fixture.client.resend(pending));
  }

  private ServiceUnavailableException unknown(PendingRequest pending) {
    ServiceUnavailableException unknown =
        catchThrowableOfType(
            ServiceUnavailableException.class, () -> fixture.client.resend(pending));
    assertThat(unknown.outcomeUnknown()).isTrue();
    assertThat(unknown.pending()).hasValue(pending.encode());
    return unknown;
  }

  @Test
  void findsInTheLogWhatExpiredMeanwhile() throws Exception {
    fixture.ledger.append(JournalDraft.text("before"));
    PendingRequest pending = committed();
    fixture.ledger.append(JournalDraft.text("after"));
    fixture.service.refusals.add(EXPIRED);

    Resent.Journals found = (Resent.Journals) fixture.client.resend(pending);

    assertThat(found.journals())
        .extracting(Resent.Standing::jsn)
        .containsExactly(new Jsn(4), new Jsn(5));
    assertThat(found.journals()).allMatch(Resent.Standing::repeated);
  }

  /// A service that looks at a rule before it looks for a repeat misleads nobody.
  @Test
  void findsInTheLogWhatIsRefusedForGood() throws Exception {
    PendingRequest pending = committed();
    fixture.service.refusals.add(FakeService.problem("already_occulted", false));

    assertThat(((Resent.Journals) fixture.client.resend(pending)).journals()).hasSize(2);
  }

  @Test
  void knowsOfWhatIsNotInTheLogThatItWasNotDone() throws Exception {
    PendingRequest pending = swallowed();
    for (Problem problem : List.of(EXPIRED, FakeService.problem("revoked_key", false))) {
      fixture.service.refusals.add(problem);
      RequestRefusedException refused = refusal(pending);
      assertThat(refused.code()).isEqualTo(problem.getCode());
      assertThat(refused.detail()).contains("for test; it is not among the 2 leaves");
    }
    assertThat(((Resent.Journals) fixture.client.resend(pending)).journals())
        .noneMatch(Resent.Standing::repeated);
  }

  @Test
  void knowsNothingWhileTheLogCannotBeSearched() throws Exception {
    PendingRequest pending = committed();
    fixture.service.refusals.add(EXPIRED);
    fixture.service.failures.add(Status.INTERNAL);
    unknown(pending);
    assertThat(((Resent.Journals) fixture.client.resend(pending)).journals()).hasSize(2);
  }

  /// Each is said of the service, of the bytes, or for now.
  @Test
  void knowsNothingFromOtherRefusals() throws Exception {
    PendingRequest pending = committed();
    for (String code : List.of("unknown_ledger", "bad_signature", "too_early", "read_only")) {
      fixture.service.refusals.add(FakeService.problem(code, false));
      assertThat(unknown(pending)).hasMessageContaining(code);
    }
    Problem later =
        FakeService.problem("rate_limited", true).toBuilder().setRetryAfterMs(60_000).build();
    fixture.service.refusals.add(later);
    assertThat(unknown(pending)).hasMessageContaining("rate_limited");
  }

  /// Who may not read is told so with the code of who may not append.
  @Test
  void knowsNothingFromARefusalToOpenTheLedger(@TempDir Path fresh) throws Exception {
    PendingRequest pending = committed();
    fixture.service.entryTampering =
        entry -> {
          throw FakeService.problem(FakeService.problem("role_not_allowed", false));
        };
    try (TallyClient stranger = ServiceFixture.connect(fixture.service, fresh)) {
      ServiceUnavailableException unknown =
          catchThrowableOfType(ServiceUnavailableException.class, () -> stranger.resend(pending));
      assertThat(unknown).hasMessageContaining("role_not_allowed");
      assertThat(unknown.outcomeUnknown()).isTrue();
      assertThat(unknown.pending()).hasValue(pending.encode());
    }
  }

  @Test
  void knowsNothingFromAServiceThatIsDown() throws Exception {
    PendingRequest pending = committed();
    try (TallyClient unconnected =
        ServiceFixture.connect(fixture.service, trust, ServiceFixture.HASTY)) {
      fixture.service.close();
      ServiceUnavailableException down =
          catchThrowableOfType(
              ServiceUnavailableException.class, () -> unconnected.resend(pending));
      assertThat(down.outcomeUnknown()).isTrue();
      assertThat(down.pending()).hasValue(pending.encode());
    }
  }

  private PendingRequest lostFounding() throws Exception {
    ServiceUnavailableException lost =
        catchThrowableOfType(
            ServiceUnavailableException.class,
            () ->
                fixture.client.createLedger(
                    "again", List.of(fixture.owner), LedgerOptions.DEFAULT));
    assertThat(lost.outcomeUnknown()).isTrue();
    PendingRequest pending = PendingRequest.decode(lost.pending().orElseThrow());
    assertThat(pending.encode()).isEqualTo(lost.pending().orElseThrow());
    return pending;
  }

  @Test
  void foundsOneLedger() throws Exception {
    fixture.service.failsAfterFounding = 1;
    PendingRequest pending = lostFounding();
    assertThat(fixture.service.ledgers).hasSize(2);

    Resent.Founded again = (Resent.Founded) fixture.client.resend(pending, fixture.owner);

    assertThat(fixture.service.ledgers).hasSize(2);
    assertThat(again.ledger().id()).isEqualTo(pending.ledger());
    assertThat(again.ledger().append(JournalDraft.text("mine")).jsn()).isEqualTo(new Jsn(2));
  }

  @Test
  void foundsWhatWasNeverFounded() throws Exception {
    fixture.service.failsAfterFounding = 1;
    PendingRequest pending = lostFounding();
    fixture.service.ledgers.remove(pending.ledger().digest().toBytes());

    assertThat(((Resent.Founded) fixture.client.resend(pending)).ledger().id())
        .isEqualTo(pending.ledger());
    assertThat(fixture.service.ledgers).hasSize(2);
  }

  @Test
  void refusesDamagedBytes() throws Exception {
    fixture.service.failsAfterFounding = 1;
    for (PendingRequest pending : List.of(committed(), lostFounding())) {
      byte[] whole = pending.encode().toArray();
      for (int length = 0; length < whole.length; length++) {
        Bytes cut = Bytes.wrap(Arrays.copyOf(whole, length));
        assertThatThrownBy(() -> PendingRequest.decode(cut)).isInstanceOf(MalformedException.class);
      }
    }
  }
}
