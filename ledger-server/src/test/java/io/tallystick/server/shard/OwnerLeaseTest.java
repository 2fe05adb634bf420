package io.tallystick.server.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.journal.BodyState;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: an owner that others may follow says that there is no more only within a second from
/// before a confirmed frame was sent, by both clocks. Method: clocks that the test moves.
class OwnerLeaseTest {
  private static final long SECOND = 1_000_000_000;

  private long nanos = Long.MAX_VALUE - SECOND / 2; // it wraps around meanwhile
  private long wallMs = 1_790_000_000_000L;
  private int pauses;

  private final Ownership shared =
      new Ownership() {
        @Override
        public boolean isShared() {
          return true;
        }

        @Override
        public long nanoTime() {
          return nanos;
        }

        @Override
        public void pause(long pauseNanos) {
          pauses++;
          pass(pauseNanos);
        }
      };

  private final OwnerLease lease = new OwnerLease(shared, () -> Instant.ofEpochMilli(wallMs));

  private void pass(long passed) {
    nanos += passed;
    wallMs += passed / 1_000_000;
  }

  @Test
  void isNotHeldBeforeAFrameIsConfirmed() {
    assertThat(lease.isDue()).isFalse();
    assertThat(lease.isHeld()).isFalse();
    assertThat(lease.isDue()).as("somebody has asked").isTrue();
    RequestRejectedException refusal =
        catchThrowableOfType(RequestRejectedException.class, lease::check);
    assertThat(refusal.code()).isEqualTo(RejectionCode.UNAVAILABLE);
  }

  @Test
  void lastsASecondFromBeforeTheFrameWasSent() {
    OwnerLease.Stamp sent = lease.sending();
    pass(SECOND * 9 / 10);
    lease.confirmed(sent, 1);
    assertThat(lease.isHeld()).isTrue();
    pass(SECOND / 10);
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void endsWhenEitherClockSaysSo() {
    lease.confirmed(lease.sending(), 1);
    wallMs += 1_000;
    assertThat(lease.isHeld()).as("the machine was suspended").isFalse();
    wallMs -= 1_001;
    assertThat(lease.isHeld()).as("the clock was set back").isFalse();
    wallMs++;
    assertThat(lease.isHeld()).isTrue();
    nanos += SECOND;
    assertThat(lease.isHeld()).as("the clock that never goes back").isFalse();
  }

  @Test
  void isRenewedOnceHalfOfItHasPassedIfSomebodyAsks() {
    lease.confirmed(lease.sending(), 1);
    assertThat(lease.isHeld()).isTrue();
    assertThat(lease.isDue()).isFalse();
    pass(SECOND / 2);
    assertThat(lease.isDue()).as("nobody has asked").isFalse();
    assertThat(lease.isHeld()).isTrue();
    assertThat(lease.isDue()).isTrue();
    lease.confirmed(lease.sending(), 1);
    assertThat(lease.isDue()).isFalse();
  }

  @Test
  void whoWaitsForItIsRefusedAfterAWhile() {
    assertThat(catchThrowableOfType(RequestRejectedException.class, lease::await).code())
        .isEqualTo(RejectionCode.UNAVAILABLE);
    assertThat(pauses).isPositive();
  }

  @Test
  void nobodyWaitsForWhatDoesNotCome() {
    OwnerLease.Stamp sent = lease.sending();
    lease.confirmed(sent, 1);
    lease.renewNoMore();
    assertThat(lease.isHeld()).as("until its second is over").isTrue();
    pass(SECOND);
    assertThat(catchThrowableOfType(RequestRejectedException.class, lease::await).code())
        .isEqualTo(RejectionCode.UNAVAILABLE);
    assertThat(pauses).isZero();
  }

  @Test
  void nobodyWaitsForAnOpeningThatHasEnded() {
    lease.end();
    assertThat(catchThrowableOfType(RequestRejectedException.class, lease::await).code())
        .isEqualTo(RejectionCode.UNAVAILABLE);
    assertThat(pauses).isZero();
  }

  @Test
  void whatWasReadIsPassedOnUnderTheLeaseAlone() throws Exception {
    List<Long> passedOn = new ArrayList<>();
    LeasedVisitor visitor = new LeasedVisitor(lease, (jsn, _, _, _, _, _, _) -> passedOn.add(jsn));
    lease.confirmed(lease.sending(), 1);
    assertThat(visit(visitor, 1)).isTrue();
    visitor.check();
    pass(SECOND); // the process stood still, and another may have removed what was read
    assertThat(visit(visitor, 2)).isFalse();
    assertThat(passedOn).containsExactly(1L);
    assertThat(catchThrowableOfType(RequestRejectedException.class, visitor::check).code())
        .isEqualTo(RejectionCode.UNAVAILABLE);
  }

  private static boolean visit(LeasedVisitor visitor, long jsn) {
    return visitor.leaf(jsn, Bytes.EMPTY, null, Bytes.EMPTY, BodyState.NONE, null, null);
  }

  @Test
  void endsWithTheOpening() {
    lease.confirmed(lease.sending(), 1);
    lease.end();
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void ofADataDirectoryIsHeldForEver() throws Exception {
    OwnerLease local = new OwnerLease(Ownership.LOCAL, () -> Instant.ofEpochMilli(wallMs));
    local.check();
    assertThat(local.isDue()).isFalse();
    local.end(); // the shard opens itself again
    local.check();
  }
}
