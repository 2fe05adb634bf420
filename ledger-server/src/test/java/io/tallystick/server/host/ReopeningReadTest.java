package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/// Goal: who reads while the shard opens itself again is told to try again, not that the ledger is
/// damaged; damage without that is told. Method: a read is held up until the shard has reopened,
/// and then reads other bytes, as from a file that was cut and written again.
class ReopeningReadTest {

  private final HookedDisk hooked = new HookedDisk(new InMemoryDisk());
  private final Fixtures fixtures = Fixtures.ledger();
  private final ThreadLocal<Boolean> damaging = ThreadLocal.withInitial(() -> false);

  private RejectionCode read(TestNode service) {
    damaging.set(true);
    try {
      service.node.journal(fixtures.strand(), 2, false);
      throw new AssertionError("nothing was refused");
    } catch (RequestRejectedException refusal) {
      return refusal.code();
    } finally {
      damaging.set(false);
    }
  }

  private TestNode open() throws Exception {
    return new TestNode(
        hooked, new InMemoryMetaStore(), TestNode.CONFIG, new CpuBatchHasher(), Fixtures.RECEIPT);
  }

  @Test
  void damageIsTold() throws Exception {
    try (TestNode service = open()) {
      service.found();
      service.append(fixtures.single(1));
      hooked.onRead = damaging::get;
      assertThat(read(service)).isEqualTo(RejectionCode.DAMAGED);
    }
  }

  @Test
  void aReadThatMeetsTheReopeningIsToldToTryAgain() throws Exception {
    try (TestNode service = open()) {
      service.found();
      service.append(fixtures.single(1));
      CountDownLatch reading = new CountDownLatch(1);
      CountDownLatch reopened = new CountDownLatch(1);
      hooked.onRead = () -> damaging.get() && heldUp(reading, reopened);
      CompletableFuture<RejectionCode> answer = CompletableFuture.supplyAsync(() -> read(service));
      assertThat(reading.await(60, TimeUnit.SECONDS)).isTrue();
      reopen(service);
      reopened.countDown();
      assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo(RejectionCode.UNAVAILABLE);
      assertThat(service.node.journal(fixtures.strand(), 2, false).jsn()).isEqualTo(2);
    }
  }

  private static boolean heldUp(CountDownLatch reading, CountDownLatch reopened) {
    reading.countDown();
    try {
      return reopened.await(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void reopen(TestNode service) throws Exception {
    AtomicBoolean failing = new AtomicBoolean(true);
    hooked.onForce =
        () -> {
          if (failing.compareAndSet(true, false)) {
            throw new IOException("I/O error");
          }
        };
    long deadline = Waiting.deadline();
    while (!Waiting.isOver(deadline)) {
      try {
        service.append(fixtures.single(2));
        if (!failing.get()) {
          return;
        }
      } catch (RequestRejectedException | IllegalStateException e) {
        Thread.sleep(5); // not open again yet
      }
    }
    throw new AssertionError("the shard did not open again");
  }
}
