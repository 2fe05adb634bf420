package io.tallystick.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.Receipted;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.ProofRejectedException.Reason;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: submissions that shared a message and a receipt are each as well proven as one alone, and
/// a service that lies about what they share is caught. Method: many appends in flight before a
/// service that packs.
class PackedAppendTest {
  private static final int MANY = 300;

  @TempDir Path trust;
  private ServiceFixture fixture;
  private LedgerHandle ledger;

  @BeforeEach
  void found() throws TallyException {
    fixture = new ServiceFixture(trust);
    ledger = fixture.ledger;
    fixture.service.packs = true;
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void sendsManySmallSubmissionsInFewMessages() throws Exception {
    for (CompletableFuture<VerifiedReceipt> answer : sendMany()) {
      answer.get(60, TimeUnit.SECONDS);
    }
    assertThat(fixture.service.submissions).hasValue(MANY);
    assertThat(fixture.service.messages.get()).isLessThan(MANY);
  }

  @Test
  void givesEverySharerAStandardReceiptOfItsOwn() throws Exception {
    ReceiptVerifier offline = ReceiptVerifier.fromTrustStore(trust, ledger.id());
    Set<Long> jsns = new HashSet<>();
    for (CompletableFuture<VerifiedReceipt> answer : sendMany()) {
      VerifiedReceipt receipt = answer.get(60, TimeUnit.SECONDS);
      assertThat(jsns.add(receipt.jsn().value())).isTrue();
      assertThat(receipt.receipt().proof().index()).isEqualTo(receipt.jsn().value());
      assertThat(offline.verify(receipt.toFile())).isEqualTo(receipt.head());
      assertThat(receipt.repeated()).isFalse();
    }
    assertThat(jsns).hasSize(MANY);
  }

  @Test
  void givesEveryBatchOfASharedReceiptARangeReceiptOfItsOwn() throws Exception {
    List<CompletableFuture<VerifiedBatch>> answers = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      String text = "batch " + i;
      answers.add(
          ledger.appendBatchAsync(
              List.of(JournalDraft.text(text + "a"), JournalDraft.text(text + "b"))));
    }
    for (CompletableFuture<VerifiedBatch> answer : answers) {
      VerifiedBatch batch = answer.get(60, TimeUnit.SECONDS);
      List<Bytes> leaves = List.of(batch.leaf(0), batch.leaf(1));
      SignedHead head =
          batch
              .rangeReceipt()
              .verify(
                  leaves,
                  ledger.trust().strand(),
                  ledger.trust().keys(),
                  io.tallystick.crypto.provider.SignatureProviders.best());
      assertThat(head).isEqualTo(batch.head());
    }
    assertThat(fixture.service.messages.get()).isLessThan(MANY);
  }

  @Test
  void refusesAReceiptWhoseSharersLeaveAGap() throws Exception {
    assertThat(reasonsFor(answers -> without(answers, 1))).contains(Reason.WRONG_JSN);
  }

  @Test
  void refusesAReceiptThatCoversMoreThanItsSharers() throws Exception {
    assertThat(reasonsFor(answers -> without(answers, answers.size() - 1)))
        .contains(Reason.WRONG_JSN);
  }

  @Test
  void refusesSwappedSharers() throws Exception {
    assertThat(
            reasonsFor(answers -> {
              List<AppendResponse> swapped = new ArrayList<>(answers);
              Collections.swap(swapped, 0, 1);
              Receipted first = answers.getFirst().getReceipted();
              swapped.set(0, jsnOf(swapped.getFirst(), first).build());
              swapped.set(1, jsnOf(swapped.get(1), answers.get(1).getReceipted()).build());
              return swapped;
            }))
        .containsAnyOf(Reason.ROOT_MISMATCH, Reason.BAD_SIGNATURE);
  }

  /// The same submission under the place and the receipt of another.
  private static AppendResponse.Builder jsnOf(AppendResponse answer, Receipted place) {
    return answer.toBuilder().setReceipted(place);
  }

  @Test
  void refusesAnAnswerThatSharesNobodysReceipt() throws Exception {
    assertThat(
            reasonsFor(answers -> {
              List<AppendResponse> bare = new ArrayList<>(answers);
              AppendResponse.Builder first = answers.getFirst().toBuilder();
              first.getReceiptedBuilder().clearRangeReceipt();
              bare.set(0, first.build());
              return bare;
            }))
        .contains(Reason.MALFORMED);
  }

  /// Who was answered before is not waited for, so its leaf is not known any more: the others ask
  /// again and get receipts of their own.
  @Test
  void asksAgainWhenASharerIsNoLongerKnown() throws Exception {
    fixture.service.packTampering =
        answers -> {
          fixture.service.packTampering = FakeService::packed;
          List<AppendResponse> messages = new ArrayList<>();
          messages.add(alone(answers.getFirst()));
          messages.addAll(FakeService.packed(answers));
          return messages;
        };
    int failed = 0;
    int repeated = 0;
    for (CompletableFuture<VerifiedReceipt> answer : sendMany()) {
      try {
        repeated += answer.get(60, TimeUnit.SECONDS).repeated() ? 1 : 0;
      } catch (ExecutionException e) {
        assertThat(e).hasCauseInstanceOf(VerificationException.class);
        failed++;
      }
    }
    // The one answered alone had a receipt that covers more than it.
    assertThat(failed).isEqualTo(1);
    assertThat(repeated).isPositive();
  }

  private static AppendResponse alone(AppendResponse answer) {
    return answer.toBuilder().clearMore().build();
  }

  private static List<AppendResponse> without(List<AppendResponse> answers, int index) {
    List<AppendResponse> rest = new ArrayList<>(answers);
    rest.remove(index);
    return rest;
  }

  /// @return why the client refused what it was told
  private Set<Reason> reasonsFor(UnaryOperator<List<AppendResponse>> tampering) throws Exception {
    fixture.service.packTampering = answers -> FakeService.packed(tampering.apply(answers));
    Set<Reason> reasons = new HashSet<>();
    for (CompletableFuture<VerifiedReceipt> answer : sendMany()) {
      try {
        answer.get(60, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof VerificationException refusal) {
          reasons.add(refusal.reason());
        }
      } catch (TimeoutException ignored) {
        // Left out of an answer: its submission is given up in time.
      }
    }
    return reasons;
  }

  private List<CompletableFuture<VerifiedReceipt>> sendMany() throws TallyException {
    List<CompletableFuture<VerifiedReceipt>> answers = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      answers.add(ledger.appendAsync(JournalDraft.text("journal " + i)));
    }
    return answers;
  }
}
