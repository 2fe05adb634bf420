package io.tallystick.proxy.witness;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerNode;
import io.tallystick.testkit.Waiting;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Goal: whoever reads meters waits for no owner that stands still. Method: a node that answers
/// when the test says so.
class MarkedLedgersTest {
  private final AtomicInteger asked = new AtomicInteger();

  /// An answer of a node.
  private interface Answer {
    Object answer() throws Exception;
  }

  private MarkedLedgers marked(Answer answer, Duration waitMax) {
    LedgerNode node =
        (LedgerNode)
            Proxy.newProxyInstance(
                LedgerNode.class.getClassLoader(),
                new Class<?>[] {LedgerNode.class},
                (_, _, _) -> {
                  asked.incrementAndGet();
                  return answer.answer();
                });
    return new MarkedLedgers(node, waitMax);
  }

  @Test
  void theAnswerIsTheNodes() {
    MarkedLedgers marked = marked(() -> 3L, Duration.ofMinutes(1));
    assertThat(marked.count()).isEqualTo(3);
    MarkedLedgers unknown =
        marked(
            () -> {
              throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "as the test says");
            },
            Duration.ofMinutes(1));
    assertThat(unknown.count()).isNaN();
  }

  @Test
  void whoStandsStillIsAskedOnce() throws Exception {
    CountDownLatch answers = new CountDownLatch(1);
    MarkedLedgers marked =
        marked(
            () -> {
              assertThat(answers.await(60, TimeUnit.SECONDS)).isTrue();
              return 2L;
            },
            Duration.ofMillis(50));
    assertThat(marked.count()).isNaN();
    assertThat(marked.count()).isNaN();
    assertThat(asked).hasValue(1);
    answers.countDown();
    Waiting.until("it is known", () -> marked.count() == 2);
  }
}
