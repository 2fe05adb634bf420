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
import io.tallystick.client.failure.VerificationException;
import io.tallystick.model.Jsn;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is tried again, what is not, and that no attempt doubles a journal.
class RetryTest {
  @TempDir Path trust;
  private ServiceFixture fixture;
  private LedgerHandle ledger;

  @BeforeEach
  void found() throws TallyException {
    fixture = new ServiceFixture(trust);
    ledger = fixture.ledger;
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void getsTheOriginalReceiptAfterTheStreamBroke() throws TallyException {
    fixture.service.breaksAfterCommit = 1;

    VerifiedReceipt receipt = ledger.append(JournalDraft.text("once"));

    assertThat(receipt.repeated()).isTrue();
    assertThat(receipt.jsn()).isEqualTo(new Jsn(2));
    assertThat(fixture.remote().size()).isEqualTo(4);
    assertThat(fixture.service.submissions).hasValue(2);
  }

  @Test
  void losesAndDoublesNothingWhenAStreamBreaksUnderMany() throws Exception {
    fixture.service.breaksAfterCommit = 1;
    List<CompletableFuture<VerifiedReceipt>> answers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      answers.add(ledger.appendAsync(JournalDraft.text("journal " + i)));
    }
    List<Jsn> jsns = new ArrayList<>();
    for (CompletableFuture<VerifiedReceipt> answer : answers) {
      jsns.add(answer.get().jsn());
    }

    assertThat(jsns).doesNotHaveDuplicates().hasSize(20);
    assertThat(fixture.remote().size()).isEqualTo(2 + 20 * 2);
  }

  @Test
  void repeatsARetryableRefusalWithTheSameBytes() throws TallyException {
    fixture.service.refusals.add(FakeService.problem("rate_limited", true));
    fixture.service.refusals.add(FakeService.problem("unavailable", true));

    VerifiedReceipt receipt = ledger.append(JournalDraft.text("patient"));

    assertThat(receipt.jsn()).isEqualTo(new Jsn(2));
    assertThat(fixture.service.submissions).hasValue(3);
  }

  @Test
  void neverRepeatsOtherRefusals() {
    fixture.service.refusals.add(
        FakeService.problem("unknown_key", false).toBuilder().setIndex(3).setLimit(9).build());

    RequestRefusedException refused =
        catchThrowableOfType(
            RequestRefusedException.class, () -> ledger.append(JournalDraft.text("refused")));

    assertThat(refused.code()).isEqualTo("unknown_key");
    assertThat(refused.index()).hasValue(3);
    assertThat(refused.limit()).hasValue(9);
    assertThat(fixture.service.submissions).hasValue(1);
  }

  @Test
  void neverRepeatsWhatFailedVerification() {
    fixture.service.tampering = answer -> answer.toBuilder().setCount(7).build();

    assertThat(
            catchThrowableOfType(
                VerificationException.class, () -> ledger.append(JournalDraft.text("victim"))))
        .isNotNull();
    assertThat(fixture.service.submissions).hasValue(1);
  }

  /// However many attempts that are: 8 were once the limit.
  @Test
  void repeatsUntilTheTimeIsOverAndNoLonger() throws TallyException {
    for (int i = 0; i < 20; i++) {
      fixture.service.refusals.add(FakeService.problem("rate_limited", true));
    }
    assertThat(ledger.append(JournalDraft.text("patient")).jsn()).isEqualTo(new Jsn(2));
    assertThat(fixture.service.submissions).hasValue(21);
    for (int i = 0; i < 20; i++) {
      fixture.service.failures.add(Status.UNAVAILABLE);
    }
    assertThat(ledger.checkpoint().size().value()).isEqualTo(4);

    for (int i = 0; i < 1_000; i++) {
      fixture.service.refusals.add(FakeService.problem("rate_limited", true));
      fixture.service.failures.add(Status.UNAVAILABLE.withDescription("for test"));
    }
    try (TallyClient hasty = hasty()) {
      LedgerHandle opened = hasty.open(ledger.id(), fixture.owner);
      RequestRefusedException refused =
          catchThrowableOfType(
              RequestRefusedException.class, () -> opened.append(JournalDraft.text("too busy")));
      assertThat(refused.retryable()).isTrue();
      assertThat(
              catchThrowableOfType(ServiceUnavailableException.class, opened::checkpoint)
                  .outcomeUnknown())
          .isFalse();
    }
    assertThat(fixture.service.refusals).isNotEmpty();
    assertThat(fixture.service.failures).isNotEmpty();
  }

  /// A wait that ends too late is not begun.
  @Test
  void waitsAsLongAsItIsAskedToAndNotBeyondTheTime() throws TallyException {
    Problem.Builder busy = FakeService.problem("rate_limited", true).toBuilder();
    fixture.service.refusals.add(busy.setRetryAfterMs(50).build());
    assertThat(ledger.append(JournalDraft.text("asked to wait")).jsn()).isEqualTo(new Jsn(2));
    fixture.service.refusals.add(busy.setRetryAfterMs(60_000).build());
    RequestRefusedException refused =
        catchThrowableOfType(
            RequestRefusedException.class, () -> ledger.append(JournalDraft.text("too long")));
    assertThat(refused.retryAfter()).isEqualTo(Duration.ofMinutes(1));
    assertThat(fixture.service.submissions).hasValue(3);
  }

  @Test
  void repeatsNothingWithoutATime() throws TallyException {
    fixture.service.refusals.add(FakeService.problem("rate_limited", true));
    try (TallyClient once = ServiceFixture.connect(fixture.service, trust, RetryPolicy.NONE)) {
      LedgerHandle opened = once.open(ledger.id(), fixture.owner);
      assertThat(
              catchThrowableOfType(
                      RequestRefusedException.class, () -> opened.append(JournalDraft.text("once")))
                  .code())
          .isEqualTo("rate_limited");
      assertThat(fixture.service.submissions).hasValue(1);
      fixture.service.failures.add(Status.UNAVAILABLE);
      assertThat(catchThrowableOfType(ServiceUnavailableException.class, opened::checkpoint))
          .isNotNull();
      assertThat(opened.append(JournalDraft.text("next")).jsn()).isEqualTo(new Jsn(2));
    }
  }

  @Test
  void repeatsAReadThatWasNotAnsweredInTime() throws TallyException {
    fixture.service.failures.add(Status.DEADLINE_EXCEEDED);
    assertThat(ledger.checkpoint().size().value()).isEqualTo(2);
  }

  @Test
  void refusesTimesThatAreNone() {
    Duration second = Duration.ofSeconds(1);
    assertThatThrownBy(() -> new RetryPolicy(second, second, Duration.ofSeconds(-1)))
        .hasMessage("timeMax PT-1S is negative");
    assertThatThrownBy(() -> new RetryPolicy(second, Duration.ofMillis(999), second))
        .hasMessage("backoff from PT1S to PT0.999S");
    assertThatThrownBy(() -> new RetryPolicy(Duration.ZERO, second, second))
        .hasMessage("backoff from PT0S to PT1S");
  }

  private TallyClient hasty() {
    return TallyClient.connect(
        ClientConfig.of(fixture.service.target(), trust)
            .withRetry(ServiceFixture.HASTY)
            .withCallTimeout(Duration.ofMillis(500)));
  }

  @Test
  void saysThatTheOutcomeIsUnknownWhenNoAnswerCame() throws TallyException {
    fixture.service.silences = 1;
    try (TallyClient client = hasty()) {
      LedgerHandle opened = client.open(ledger.id(), fixture.owner);
      ServiceUnavailableException late =
          catchThrowableOfType(
              ServiceUnavailableException.class, () -> opened.append(JournalDraft.text("lost")));

      assertThat(late).hasMessage("append was not answered within 500 ms");
      assertThat(late.outcomeUnknown()).isTrue();
      assertThat(late.pending()).isPresent();
    }
    assertThat(ledger.append(JournalDraft.text("next")).jsn()).isEqualTo(new Jsn(2));
  }

  @Test
  void sendsAgainWhatHadAnUnknownOutcome() throws Exception {
    fixture.service.breaksAfterCommit = 1;
    fixture.service.refusalAfterBreak = FakeService.problem("expired", false);
    ServiceUnavailableException late =
        catchThrowableOfType(
            ServiceUnavailableException.class, () -> ledger.append(JournalDraft.text("once")));

    PendingRequest pending = PendingRequest.decode(late.pending().orElseThrow());
    assertThat(pending.ledger()).isEqualTo(ledger.id());
    assertThat(pending.encode()).isEqualTo(late.pending().orElseThrow());
    Resent.Journals again = (Resent.Journals) fixture.client.resend(pending);

    assertThat(again.journals())
        .singleElement()
        .satisfies(journal -> {
          assertThat(journal.jsn()).isEqualTo(new Jsn(2));
          assertThat(journal.repeated()).isTrue();
        });
    assertThat(ledger.append(JournalDraft.text("next")).jsn()).isEqualTo(new Jsn(4));
  }

  @Test
  void knowsTheOutcomeOfWhatNeverReachedAService() throws TallyException {
    // A client that has no connection yet: on an open one the request may have gone out.
    try (TallyClient unconnected =
        ServiceFixture.connect(fixture.service, trust, ServiceFixture.HASTY)) {
      LedgerHandle opened = unconnected.open(ledger.id(), fixture.owner);
      fixture.service.close();
      ServiceUnavailableException down =
          catchThrowableOfType(
              ServiceUnavailableException.class, () -> opened.append(JournalDraft.text("down")));
      assertThat(down.outcomeUnknown()).isFalse();
      assertThat(down.pending()).isEmpty();
    }
  }

  @Test
  void saysThatTheOutcomeIsUnknownWhenARepeatIsTooLate() {
    fixture.service.breaksAfterCommit = 1;
    fixture.service.refusalAfterBreak = FakeService.problem("expired", false);

    ServiceUnavailableException late =
        catchThrowableOfType(
            ServiceUnavailableException.class, () -> ledger.append(JournalDraft.text("late")));

    assertThat(late.outcomeUnknown()).isTrue();
  }

  @Test
  void saysThatTheOutcomeIsUnknownWhenTheLastWordWasUnavailable() {
    fixture.service.refusals.add(later("unavailable"));
    ServiceUnavailableException stopped =
        catchThrowableOfType(
            ServiceUnavailableException.class, () -> ledger.append(JournalDraft.text("stopped")));
    assertThat(stopped.outcomeUnknown()).isTrue();
  }

  /// Asks to wait longer than the time that there is.
  private static Problem later(String code) {
    return FakeService.problem(code, true).toBuilder().setRetryAfterMs(60_000).build();
  }

  /// A full disk looks for no repeats, so its word says nothing about an earlier attempt.
  @Test
  void saysThatTheOutcomeIsUnknownWhenARepeatMeetsAFullDisk() {
    fixture.service.refusals.add(FakeService.problem("unavailable", true));
    fixture.service.refusals.add(later("storage_full"));
    ServiceUnavailableException full =
        catchThrowableOfType(
            ServiceUnavailableException.class, () -> ledger.append(JournalDraft.text("full")));
    assertThat(full.outcomeUnknown()).isTrue();
  }

  /// It is committed, and nothing the client holds says so.
  @Test
  void saysThatTheOutcomeIsUnknownWhenTheReceiptCouldNotBeChecked() throws TallyException {
    // Somebody else's journal between, so that the head needs a proof to be joined.
    try (TallyClient other = ServiceFixture.connect(fixture.service, trust.resolve("other"))) {
      other.open(ledger.id(), fixture.owner).append(JournalDraft.text("theirs"));
    }
    fixture.service.failures.add(Status.INTERNAL);
    ServiceUnavailableException unproven =
        catchThrowableOfType(
            ServiceUnavailableException.class, () -> ledger.append(JournalDraft.text("unproven")));

    assertThat(unproven.outcomeUnknown()).isTrue();
    assertThat(unproven).hasMessageContaining("could not be checked");
  }

  @Test
  void repeatsReadsOnlyWhenTheServiceIsUnavailable() throws TallyException {
    fixture.service.failures.add(Status.UNAVAILABLE);
    assertThat(ledger.checkpoint().size().value()).isEqualTo(2);

    fixture.service.failures.add(Status.INTERNAL);
    assertThat(
            catchThrowableOfType(ServiceUnavailableException.class, ledger::checkpoint)
                .outcomeUnknown())
        .isFalse();
  }

  @Test
  void pausesLongerEachTimeAndNeverLessThanAsked() {
    RetryPolicy policy = RetryPolicy.DEFAULT;
    assertThat(policy.timeMax()).isEqualTo(Duration.ofSeconds(30));
    Random random = new Random(1);
    for (int attempt = 1; attempt < 40; attempt++) {
      Duration full = Duration.ofMillis(Math.min(50L << Math.min(attempt - 1, 20), 5_000));
      assertThat(policy.pause(attempt, Duration.ZERO, random)).isBetween(full.dividedBy(2), full);
      assertThat(policy.pause(attempt, Duration.ofMinutes(1), random))
          .isEqualTo(Duration.ofMinutes(1));
    }
  }
}
