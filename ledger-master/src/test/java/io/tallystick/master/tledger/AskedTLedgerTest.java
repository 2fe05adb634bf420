package io.tallystick.master.tledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.TakenEntry;
import io.tallystick.testkit.Fixtures;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Goal: strangers that bring heads to a proxy take a bounded part of its connection to the owner.
/// Method: an owner that answers when the test says so.
class AskedTLedgerTest {
  private static final SubmittedHead HEAD =
      new SubmittedHead(Bytes.EMPTY, Bytes.EMPTY, Bytes.EMPTY);

  private final LedgerId id = Fixtures.ledger().strand().ledger();
  private final CountDownLatch answers = new CountDownLatch(1);
  private final LedgerNode owner =
      (LedgerNode)
          Proxy.newProxyInstance(
              LedgerNode.class.getClassLoader(),
              new Class<?>[] {LedgerNode.class},
              (_, _, _) -> {
                assertThat(answers.await(60, TimeUnit.SECONDS)).isTrue();
                return new TakenEntry(Bytes.EMPTY, Bytes.EMPTY, Bytes.EMPTY);
              });

  private static RejectionCode refused(AskedTLedger asked) {
    return catchThrowableOfType(
            RequestRejectedException.class, () -> asked.take(HEAD, SubmitterRule.Caller.NONE))
        .code();
  }

  @Test
  void soManyAreUnderWay() throws Exception {
    AskedTLedger asked = new AskedTLedger(owner, id);
    List<CompletableFuture<TakenHead>> taken = new ArrayList<>();
    for (int i = 0; i < AskedTLedger.OPEN_MAX; i++) {
      taken.add(asked.take(HEAD, SubmitterRule.Caller.NONE));
    }
    assertThat(refused(asked)).isEqualTo(RejectionCode.RATE_LIMITED);
    answers.countDown();
    for (CompletableFuture<TakenHead> each : taken) {
      assertThat(each.get(60, TimeUnit.SECONDS).tLedger()).isEqualTo(id);
    }
    assertThat(asked.take(HEAD, SubmitterRule.Caller.NONE).get(60, TimeUnit.SECONDS).tLedger())
        .isEqualTo(id);
    asked.close();
    assertThat(refused(asked)).isEqualTo(RejectionCode.UNAVAILABLE);
  }
}
