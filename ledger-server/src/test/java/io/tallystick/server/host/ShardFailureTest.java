package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Precondition;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.AppendWaiter;
import io.tallystick.node.Appending;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.shard.ShardStoppedException;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/// Goal: whatever fails, everyone who waits is answered, what is admitted is bounded, and reads go
/// on. Method: fail or hold up one seam at a moment of the test's choosing.
class ShardFailureTest {
  /// Ends a test that has failed.
  private static final long SECONDS_MAX = Waiting.MAX.toSeconds();

  /// No closing frame comes between a test's own.
  private static final long GUARD_IDLE_MILLIS = 3_600_000;

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final HookedDisk hooked = new HookedDisk(disk);
  private final HookedHasher hasher = new HookedHasher();
  private final Fixtures fixtures = Fixtures.ledger();

  private TestNode open(ShardConfig config) throws Exception {
    return new TestNode(hooked, meta, config, hasher, Fixtures.RECEIPT);
  }

  private static Throwable failureOf(CompletableFuture<?> future) {
    return future.handle((_, failure) -> failure).orTimeout(SECONDS_MAX, TimeUnit.SECONDS).join();
  }

  private static void awaitTrue(BooleanSupplier condition) throws InterruptedException {
    Waiting.until("it is so", condition::getAsBoolean);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static double meter(TestNode service, String name) {
    return service.registry.get(name).gauge().value();
  }

  private static void checkReadOnly(TestNode service, Receipted before) throws Exception {
    // Until the commit thread has seen the failure, an append may still end as unknown.
    awaitTrue(() -> !service.node.health().appendable());
    assertThat(meter(service, "ledger.shard.appendable")).isZero();
    RequestRejectedException refusal =
        catchThrowableOfType(
            RequestRejectedException.class, () -> service.append(service.fixtures.single(77)));
    assertThat(refusal.code()).isEqualTo(RejectionCode.UNAVAILABLE);
    assertThat(service.node.health().readable()).isTrue();
    service.verify(before);
  }

  @Test
  void answersWhoWaitsWhenTheDiskDoesNotTellItsFreeSpace() throws Exception {
    try (TestNode service = open(TestNode.CONFIG)) {
      service.found();
      assertThat(meter(service, "ledger.disk.free.bytes")).isPositive();
      AtomicBoolean failing = new AtomicBoolean(true);
      hooked.onFreeBytes =
          () -> {
            if (failing.compareAndSet(true, false)) {
              throw new IOException("no answer");
            }
          };
      service.clock.addAndGet(1000);
      AppendTicket ticket = service.submit(fixtures.single(1));
      assertThat(failureOf(ticket.receipted())).isInstanceOf(ShardStoppedException.class);
      assertThat(failureOf(ticket.committed())).isInstanceOf(ShardStoppedException.class);
      assertThat(service.append(fixtures.single(1)).committed().firstJsn()).isEqualTo(2);
    }
  }

  @Test
  void answersWhoWaitsWhenTheReceiptKeyFails() throws Exception {
    InMemoryMetaStore early;
    try (TestNode service = open(TestNode.CONFIG)) {
      early = meta.copy();
      service.found();
      service.append(fixtures.single(1));
    }
    Signatures.Signer broken =
        new Signatures.Signer() {
          @Override
          public PublicKey publicKey() {
            return Fixtures.RECEIPT.publicKey();
          }

          @Override
          public byte[] sign(byte[] message) {
            throw new IllegalStateException("the key is gone");
          }
        };
    // Replayed heads are signed when a receipt is asked for.
    try (TestNode service = new TestNode(hooked, early, TestNode.CONFIG, hasher, broken)) {
      AppendTicket repeat = service.submit(fixtures.single(1));
      assertThat(failureOf(repeat.receipted())).isInstanceOf(ShardStoppedException.class);
    }
  }

  @Test
  void stopsWhenIndexingFailsAndGoesOnReading() throws Exception {
    try (TestNode service = open(TestNode.CONFIG)) {
      service.found();
      Receipted before = service.append(fixtures.single(1));
      hasher.onLeaves =
          () -> {
            throw new IllegalStateException("broken hasher");
          };
      AppendTicket ticket = service.submit(fixtures.single(2));
      assertThat(failureOf(ticket.receipted()))
          .isInstanceOf(ShardStoppedException.class)
          .hasMessageContaining("indexing");
      checkReadOnly(service, before);
    }
    hasher.onLeaves = () -> {};
    try (TestNode service = open(TestNode.CONFIG)) {
      assertThat(service.append(fixtures.single(2)).committed().repeated()).isTrue();
    }
  }

  /// The frame that is being forced while indexing fails is handed over to nobody.
  @Test
  void answersWhoseFrameBecomesDurableAfterIndexingFailed() throws Exception {
    try (TestNode service = open(tight(4, 64 << 20))) {
      service.found();
      Receipted before = service.append(fixtures.single(1));
      awaitTrue(() -> service.node.health().appendable());
      assertThat(meter(service, "ledger.shard.appendable")).isOne();
      CountDownLatch indexing = new CountDownLatch(1);
      CountDownLatch failNow = new CountDownLatch(1);
      hasher.onLeaves =
          () -> {
            indexing.countDown();
            await(failNow);
            throw new IllegalStateException("broken hasher");
          };
      AppendTicket first = service.submit(fixtures.single(2));
      await(indexing);
      CountDownLatch forcing = new CountDownLatch(1);
      CountDownLatch forceNow = new CountDownLatch(1);
      hooked.onForce =
          () -> {
            forcing.countDown();
            await(forceNow);
          };
      AppendTicket second = service.submit(fixtures.single(3));
      await(forcing);
      failNow.countDown();
      assertThat(failureOf(first.receipted())).isInstanceOf(ShardStoppedException.class);
      Thread.sleep(50);
      hooked.onForce = () -> {};
      forceNow.countDown();
      assertThat(failureOf(second.receipted())).isInstanceOf(ShardStoppedException.class);
      checkReadOnly(service, before);
    }
  }

  @Test
  void reopensOnceAfterAFailedForceAndIsReadOnlyAfterTheSecond() throws Exception {
    try (TestNode service = open(TestNode.CONFIG)) {
      service.found();
      AtomicInteger failures = new AtomicInteger(1);
      hooked.onForce =
          () -> {
            if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
              throw new IOException("I/O error");
            }
          };
      Receipted before = appendUntilItIsThere(service, fixtures.single(1));
      awaitTrue(() -> failures.get() == 0);
      assertThat(service.node.health().appendable()).isTrue();
      failures.set(1);
      assertThatThrownBy(() -> service.append(fixtures.single(2))).isNotNull();
      checkReadOnly(service, before);
    }
    hooked.onForce = () -> {};
    try (TestNode service = open(TestNode.CONFIG)) {
      assertThat(service.append(fixtures.single(3)).committed().repeated()).isFalse();
    }
  }

  /// As a front does whose connection went away at the wrong moment.
  @Test
  void outlivesAFrontThatFailsWhenItIsTold() throws Exception {
    AppendWaiter broken =
        new AppendWaiter() {
          @Override
          public Stream stream() {
            return _ -> {
              throw new IllegalStateException("the stream is gone");
            };
          }

          @Override
          public boolean wantsCommitted() {
            return true;
          }

          @Override
          public void committed(AppendTicket.Committed outcome) {
            throw new IllegalStateException("the stream is gone");
          }

          @Override
          public void failed(Throwable cause) {
            throw new IllegalStateException("the stream is gone");
          }
        };
    try (TestNode service = open(TestNode.CONFIG)) {
      service.found();
      service.node.append(List.of(new Appending(service.verify(fixtures.single(1)), broken)), 0);
      service.verify(service.append(fixtures.single(2)));
      assertThat(service.append(fixtures.single(1)).committed().repeated()).isTrue();
      awaitTrue(() -> service.admittedBytes() == 0);
      assertThat(service.node.health().appendable()).isTrue();
    }
  }

  /// The stream had room for the journals, the savepoint has none: they are safe, and answered.
  @Test
  void waitsForRoomWhenASavepointFindsNoneAndGoesOn() throws Exception {
    FillableMetaStore fillable = new FillableMetaStore(meta);
    ShardConfig config = TestNode.CONFIG.withSavepointEvery(3, 60_000);
    try (TestNode service = new TestNode(hooked, fillable, config, hasher, Fixtures.RECEIPT)) {
      service.found();
      hooked.freeBytesMax = 0;
      fillable.full = true;
      Receipted before = appendUntilItIsThere(service, fixtures.single(1));
      RequestRejectedException refusal = null;
      long deadline = Waiting.deadline();
      for (int i = 2; refusal == null && !Waiting.isOver(deadline); i++) {
        try {
          before = service.append(fixtures.single(i));
        } catch (RequestRejectedException e) {
          refusal = e;
        } catch (IllegalStateException unknown) {
          Thread.sleep(5); // the frame that was being indexed
        }
      }
      assertThat(Objects.requireNonNull(refusal, "never refused").code())
          .isEqualTo(RejectionCode.STORAGE_FULL);
      assertThat(service.node.health().readable()).isTrue();
      service.verify(before);
      fillable.full = false;
      hooked.freeBytesMax = Long.MAX_VALUE;
      Receipted again = appendUntilItIsThere(service, fixtures.single(1));
      assertThat(again.committed().repeated()).isTrue();
      service.verify(before);
      appendUntilItIsThere(service, fixtures.single(9_000));
      assertThat(service.node.health().appendable()).isTrue();
    }
    try (TestNode service = open(TestNode.CONFIG)) {
      assertThat(service.append(fixtures.single(9_000)).committed().repeated()).isTrue();
    }
  }

  private static Receipted appendUntilItIsThere(TestNode service, Submission submission)
      throws Exception {
    long deadline = Waiting.deadline();
    while (!Waiting.isOver(deadline)) {
      try {
        return service.append(submission);
      } catch (IllegalStateException | RequestRejectedException unknown) {
        Thread.sleep(5);
      }
    }
    throw new AssertionError("never appended");
  }

  private static ShardConfig tight(int framesAhead, long admittedBytes) {
    ShardConfig usual = TestNode.CONFIG;
    return usual
        .withCommits(
            new ShardConfig.Commits(usual.commits().frameBytesMax(), 0, 0, GUARD_IDLE_MILLIS))
        .withIndexing(usual.indexing().withAheadFrames(framesAhead))
        .withRequests(usual.requests().withAdmittedBytesMax(admittedBytes));
  }

  private static Submission conditional(Fixtures ledger, int number, int keys) {
    List<DraftOp> ops = new ArrayList<>();
    for (int i = 0; i < keys; i++) {
      Bytes key = Bytes.utf8(String.format(Locale.ROOT, "key %d %d", number, i));
      ops.add(new DraftOp.Put(key, Bytes.utf8("v"), new Precondition.IfAbsent()));
    }
    return ledger.writing(number, ops.toArray(DraftOp[]::new));
  }

  /// However many keys a submission has, it is let in when nothing else waits.
  @Test
  void whatIsReadForPreconditionsCountsAsAdmitted() throws Exception {
    Fixtures ledger = fixtures.withSmallState();
    int limit = 64 << 10;
    try (TestNode service = open(tight(4, limit))) {
      service.found(ledger);
      awaitTrue(() -> service.admittedBytes() == 0);
      CountDownLatch goOn = new CountDownLatch(1);
      hooked.onForce = () -> await(goOn);
      AppendTicket first = service.node.append(service.verify(ledger, conditional(ledger, 1, 130)));
      assertThat(service.admittedBytes()).isBetween(130 * 256L, limit - 1L);
      VerifiedSubmission second = service.verify(ledger, conditional(ledger, 2, 130));
      assertThatThrownBy(() -> service.node.append(second))
          .isInstanceOfSatisfying(
              RequestRejectedException.class,
              refusal -> assertThat(refusal.code()).isEqualTo(RejectionCode.RATE_LIMITED));
      goOn.countDown();
      TestNode.await(first);
      assertThat(service.admittedBytes()).isZero();
      service.append(ledger, conditional(ledger, 3, limit / 256));
      assertThat(service.admittedBytes()).isZero();
    }
  }

  @Test
  void commitsOnlySoFarAheadOfIndexing() throws Exception {
    try (TestNode service = open(tight(4, 64 << 20))) {
      service.found();
      CountDownLatch goOn = new CountDownLatch(1);
      hasher.onLeaves = () -> await(goOn);
      List<AppendTicket> tickets = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        tickets.add(service.submit(fixtures.single(i)));
        tickets.getLast().committed().get(SECONDS_MAX, TimeUnit.SECONDS);
      }
      for (int i = 4; i < 8; i++) {
        tickets.add(service.submit(fixtures.single(i)));
      }
      Thread.sleep(100);
      assertThat(tickets).filteredOn(ticket -> ticket.committed().isDone()).hasSize(4);
      goOn.countDown();
      for (AppendTicket ticket : tickets) {
        service.verify(TestNode.await(ticket));
      }
    }
  }

  @Test
  void refusesWhatIsBeyondTheAdmittedBytesAndGivesEveryByteBack() throws Exception {
    try (TestNode service = open(tight(4, 20_000))) {
      service.found();
      for (int round = 0; round < 3; round++) {
        CountDownLatch goOn = new CountDownLatch(1);
        hasher.onLeaves = () -> await(goOn);
        List<AppendTicket> tickets = new ArrayList<>();
        RequestRejectedException limited = null;
        for (int i = 0; limited == null; i++) {
          try {
            tickets.add(service.submit(fixtures.single(1000 * round + i)));
          } catch (RequestRejectedException refusal) {
            limited = refusal;
          }
        }
        assertThat(limited.code()).isEqualTo(RejectionCode.RATE_LIMITED);
        assertThat(limited.limit()).hasValue(20_000);
        assertThat(tickets).hasSizeBetween(10, 40);
        goOn.countDown();
        for (AppendTicket ticket : tickets) {
          TestNode.await(ticket);
        }
        // Refused ones give back too: one that is not a member's, one that is too late.
        assertThatThrownBy(() ->
                service.append(fixtures.submission(fixtures.request(9_000_000), Fixtures.CAROL)))
            .isInstanceOf(RequestRejectedException.class);
        awaitTrue(() -> service.admittedBytes() == 0);
      }
    }
  }
}
