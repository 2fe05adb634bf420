package io.tallystick.proxy.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// Goal: in the long run a member gets its rate and not more, whatever the pieces, and takes
/// nothing from others. Method: a clock that the test moves, across the end of its range.
class MemberBudgetsTest {
  private static final LedgerId LEDGER = LedgerId.fromHex("11".repeat(32));
  private static final LedgerId OTHER = LedgerId.fromHex("22".repeat(32));
  private static final Digest ALICE = Sha256.hash(new byte[] {1});
  private static final Digest BOB = Sha256.hash(new byte[] {2});

  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 1_000_000_000L);
  private final MemberBudgets budgets = new MemberBudgets("journals", 100, clock::get);

  private boolean takes(LedgerId ledger, Digest kid, int count) {
    RequestRejectedException refusal =
        catchThrowableOfType(
            RequestRejectedException.class, () -> budgets.take(ledger, kid, count));
    if (refusal == null) {
      return true;
    }
    assertThat(refusal.code()).isEqualTo(RejectionCode.RATE_LIMITED);
    assertThat(refusal.limit()).hasValue(100);
    assertThat(refusal).hasMessageContaining(kid.hex()).hasMessageContaining("100 journals");
    return false;
  }

  private void pass(long millis) {
    clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Test
  void singlesGetTheRate() {
    int taken = 0;
    for (int millis = 0; millis < 100_000; millis++) {
      taken += takes(LEDGER, ALICE, 1) ? 1 : 0;
      pass(1);
    }
    assertThat(taken).isBetween(100 * 100, 100 * 100 + 102);
  }

  @Test
  void aBatchAboveTheRateIsTakenAndPaidBackByWaiting() {
    assertThat(takes(LEDGER, ALICE, 1000)).isTrue();
    pass(8_900);
    assertThat(takes(LEDGER, ALICE, 1)).isFalse();
    pass(200);
    assertThat(takes(LEDGER, ALICE, 1)).isTrue();
  }

  @Test
  void othersAndTheSameKeyElsewhereAreNotTouched() {
    assertThat(takes(LEDGER, ALICE, 10_000)).isTrue();
    assertThat(takes(LEDGER, ALICE, 1)).isFalse();
    assertThat(takes(LEDGER, BOB, 1)).isTrue();
    assertThat(takes(OTHER, ALICE, 1)).isTrue();
  }

  @Test
  void idleTimeIsNotSavedUp() {
    assertThat(takes(LEDGER, ALICE, 1)).isTrue();
    pass(3_600_000);
    int taken = 0;
    while (takes(LEDGER, ALICE, 1)) {
      taken++;
    }
    assertThat(taken).isEqualTo(101);
  }

  @Test
  void withoutALimitThereIsNone() throws Exception {
    MemberBudgets unlimited = MemberBudgets.unlimited();
    for (int i = 0; i < 1000; i++) {
      unlimited.take(LEDGER, ALICE, 10_000);
    }
    assertThat(takes(LEDGER, ALICE, 1)).isTrue();
  }
}
