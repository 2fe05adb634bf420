package io.tallystick.cluster.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Feature;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.AppendWaiter;
import io.tallystick.node.Appending;
import io.tallystick.testkit.Fixtures;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Goal: a submission whose owner is not available is sent again until it is answered or its time
/// is over; whoever may be committed is never told that it is not. Method: an owner that answers by
/// a list.
class ParkedAppendsTest {
  private static final Committed FIRST = new Committed(7, 1, 1, false, false);
  private static final long LONG_MILLIS = 60_000;

  private final Fixtures fixtures = Fixtures.ledger();
  private final Deque<Throwable> failures = new ArrayDeque<>();
  private final List<Integer> sent = new ArrayList<>();

  /// Fails as long as there are failures, then answers.
  private synchronized void own(List<Appending> submissions, int following) {
    sent.add(submissions.size());
    Throwable failure = failures.poll();
    for (Appending each : submissions) {
      if (failure != null) {
        each.waiter().failed(failure);
      } else {
        each.waiter().committed(FIRST);
        each.waiter().stream()
            .receipted(
                new AppendWaiter.ReceiptedRun(List.of(each.waiter()), List.of(FIRST), Bytes.EMPTY));
      }
    }
  }

  private ParkedAppends parked(long parkMillis, long bytesMax, Throwable... failing) {
    failures.addAll(List.of(failing));
    return new ParkedAppends(this::own, parkMillis, bytesMax);
  }

  private static RequestRejectedException refusal(RejectionCode code) {
    return new RequestRejectedException(code, "not now");
  }

  private AppendTicket append(ParkedAppends appends) throws Exception {
    AppendTicket ticket = AppendTicket.open();
    var submission = fixtures.single(1);
    appends.append(
        List.of(
            new Appending(
                new SubmissionVerifier(SignatureProviders.best(), Set.of(Feature.CLUE_TRIE))
                    .verify(
                        fixtures.strand(),
                        submission.requests(),
                        submission.attestation(),
                        fixtures.keys()),
                ticket)),
        0);
    return ticket;
  }

  private static void failsWith(AppendTicket ticket, Throwable cause) {
    assertThatThrownBy(() -> ticket.receipted().get(30, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCause(cause);
  }

  @Test
  void isSentAgainUntilTheOwnerAnswers() throws Exception {
    try (ParkedAppends appends =
        parked(
            LONG_MILLIS,
            1 << 20,
            refusal(RejectionCode.UNAVAILABLE),
            new IOException("cut"),
            refusal(RejectionCode.UNAVAILABLE))) {
      AppendTicket ticket = append(appends);
      assertThat(ticket.receipted().get(30, TimeUnit.SECONDS).committed()).isEqualTo(FIRST);
      assertThat(sent).containsExactly(1, 1, 1, 1);
    }
  }

  @Test
  void whatIsRefusedForWhatItIsComesBackAtOnce() throws Exception {
    RequestRejectedException refused = refusal(RejectionCode.RATE_LIMITED);
    try (ParkedAppends appends = parked(LONG_MILLIS, 1 << 20, refused)) {
      failsWith(append(appends), refused);
      assertThat(sent).containsExactly(1);
    }
  }

  @Test
  void whoMayBeCommittedIsToldSoWhateverItsRepeatIsRefusedFor() throws Exception {
    IOException unknown = new IOException("the outcome is unknown");
    try (ParkedAppends appends =
        parked(LONG_MILLIS, 1 << 20, unknown, refusal(RejectionCode.EXPIRED))) {
      failsWith(append(appends), unknown);
    }
  }

  @Test
  void itsTimeAndTheirBytesAreBounded() throws Exception {
    RequestRejectedException refused = refusal(RejectionCode.UNAVAILABLE);
    try (ParkedAppends appends = parked(0, 1 << 20, refused)) {
      failsWith(append(appends), refused);
    }
    try (ParkedAppends appends = parked(LONG_MILLIS, 10, refused)) {
      failsWith(append(appends), refused);
    }
    assertThat(sent).containsExactly(1, 1);
  }

  @Test
  void whoeverWaitsWhenItIsClosedIsTold() throws Exception {
    AppendTicket ticket;
    try (ParkedAppends appends = new ParkedAppends(this::refuse, LONG_MILLIS, 1 << 20)) {
      ticket = append(appends);
      assertThat(ticket.receipted()).isNotDone();
    }
    assertThatThrownBy(() -> ticket.receipted().get(30, TimeUnit.SECONDS))
        .hasMessageContaining("is being stopped");
  }

  private void refuse(List<Appending> submissions, int following) {
    submissions.forEach(each -> each.waiter().failed(refusal(RejectionCode.UNAVAILABLE)));
  }
}
