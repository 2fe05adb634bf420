package io.tallystick.server.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.model.Authority;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.Appending;
import io.tallystick.node.LedgerName;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.seal.Indexer;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamSettings;
import io.tallystick.storage.stream.StreamUnavailableException;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: a shard that other processes may own follows a stream without disturbing its writer,
/// claims it and serves only after the lease of the owner before; after each failure of the stream
/// it claims again, with pauses, as long as it is the owner that is named. Method: turns one by
/// one, clocks and a stream of the test's own.
class SharedShardTest {
  private static final Signatures SIGNATURES = SignatureProviders.best();
  private static final StreamId SHARD = new StreamId(0);
  private static final StreamSettings SEGMENTS = new StreamSettings(256 << 10, 16 << 10, 64 << 10);
  private static final long SECOND = 1_000_000_000;

  /// Where the stream is; each process has a disk of its own besides.
  private final InMemoryDisk streamDisk = new InMemoryDisk();

  private final Fixtures ledger = Fixtures.ledger();
  private final Seat seat = new Seat();
  private HookedStreams streams;
  private ShardStorage storage;
  private Shard shard;
  private long nanos;
  private long epoch;
  private boolean ours = true;
  private boolean reachable = true;
  private boolean heldWhileWaiting;

  private final class Seat implements Ownership {
    @Override
    public boolean isShared() {
      return true;
    }

    @Override
    public boolean isOurs() throws IOException {
      if (!reachable) {
        throw new IOException("nobody answers");
      }
      return ours;
    }

    @Override
    public long nanoTime() {
      return nanos;
    }

    @Override
    public void pause(long passed) {
      streams.done.add("pause " + passed / 1_000_000);
      heldWhileWaiting |= shard != null && shard.lease().isHeld();
      nanos += passed;
    }
  }

  private ShardStorage storage(HookedStreams of) {
    return new ShardStorage(
        new InMemoryDisk(),
        new ReplacedMetaStore(),
        of,
        SHARD,
        _ -> ++epoch,
        () -> Instant.ofEpochMilli(Fixtures.TIME_MS + nanos / 1_000_000),
        seat);
  }

  private static ReplacedMetaStore meta(ShardStorage of) {
    return (ReplacedMetaStore) of.meta();
  }

  private HookedStreams openStreams() {
    return new HookedStreams(
        LocalStreamStore.openDeterministic(streamDisk, "stream", SEGMENTS, new Random(1)));
  }

  private static HeadSigner signer() {
    return new HeadSigner(new Authority("localhost"), Fixtures.NOTE, Fixtures.RECEIPT);
  }

  private static FollowingShard follow(ShardStorage on) throws Exception {
    return follow(on, ShardConfig.defaults());
  }

  private static FollowingShard follow(ShardStorage on, ShardConfig config) throws Exception {
    return FollowingShard.open(
        on,
        config.withFreeBytesMin(0),
        ArrayLimits.DEFAULT,
        new CpuBatchHasher(),
        signer(),
        new CompositeMeterRegistry());
  }

  private static Shard promote(FollowingShard follower) throws Exception {
    return follower.promote(Runnable::run, (_, task) -> task.run());
  }

  @BeforeEach
  void found() throws Exception {
    streams = openStreams();
    storage = storage(streams);
    shard = promote(follow(storage));
    found(ledger);
  }

  private void found(Fixtures its) throws Exception {
    LedgerName name = new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME);
    var founded =
        shard.found(
            FoundingVerifier.verify(
                its.params().encode(), its.genesisAttestation().encode(), name, SIGNATURES));
    turn();
    assertThat(founded).isCompletedWithValue(false);
  }

  @AfterEach
  void close() throws Exception {
    shard.close();
    streams.close();
  }

  private void turn() {
    assertThat(shard.commitTurn(0)).isTrue();
    assertThat(shard.indexTurn(0)).isTrue();
  }

  private void waitingTurn(long passed) {
    nanos += passed;
    shard.waitingTurn(0);
  }

  private AppendTicket submit(int number) throws Exception {
    Submission submission = ledger.single(number);
    AppendTicket ticket = AppendTicket.open();
    SubmissionVerifier verifier = new SubmissionVerifier(SIGNATURES, Set.of());
    shard.append(
        List.of(
            new Appending(
                verifier.verify(
                    ledger.strand(),
                    submission.requests(),
                    submission.attestation(),
                    ledger.keys()),
                ticket)),
        0);
    return ticket;
  }

  private long append(int number) throws Exception {
    AppendTicket ticket = submit(number);
    turn();
    return ticket.receipted().join().committed().firstJsn();
  }

  /// A commit turn in which the stream fails.
  private Throwable failing(int number) throws Exception {
    AppendTicket ticket = submit(number);
    assertThat(shard.commitTurn(0)).isFalse();
    while (shard.indexTurn(0)) {}
    var _ = shard.endServing();
    return failureOf(ticket);
  }

  private static Throwable failureOf(AppendTicket ticket) {
    try {
      return new AssertionError("it was answered with " + ticket.receipted().join());
    } catch (CompletionException e) {
      return e.getCause() == null ? e : e.getCause();
    }
  }

  @Test
  void fencesThenWritesThenWaitsForTheLeaseOfTheOwnerBefore() throws Exception {
    assertThat(streams.done.subList(0, 4)).containsExactly("fence", "read", "append", "pause 1200");
    assertThat(shard.durableEnd().number()).as("a closing frame, a founding").isEqualTo(2);
  }

  @Test
  void saysWhatIsNewestOnlyUnderALease() throws Exception {
    turn(); // names what is sealed
    assertThat(shard.lease().isHeld()).as("a frame was confirmed just now").isTrue();
    nanos += SECOND;
    assertThat(shard.lease().isHeld()).isFalse();
    long frames = shard.durableEnd().number();
    turn();
    assertThat(shard.durableEnd().number()).isEqualTo(frames + 1);
    assertThat(shard.lease().isHeld()).isTrue();
    turn();
    assertThat(shard.durableEnd().number())
        .as("nobody asked late in its term")
        .isEqualTo(frames + 1);
  }

  /// An answer to a request that comes to nothing is by what stands in the ledger, too.
  @Test
  void refusesOnlyUnderALease() throws Exception {
    append(1);
    turn(); // names what is sealed
    nanos += 3_600 * SECOND; // all that was signed before has expired
    for (int i = 2; i < 6; i++) {
      long frames = shard.durableEnd().number();
      AppendTicket late = submit(i);
      turn();
      assertThat(failureOf(late))
          .isInstanceOfSatisfying(
              RequestRejectedException.class,
              refusal -> assertThat(refusal.code()).isEqualTo(RejectionCode.EXPIRED));
      assertThat(shard.durableEnd().number()).as("an empty frame").isEqualTo(frames + 1);
      assertThat(shard.lease().isHeld()).isTrue();
      nanos += SECOND;
    }
    streams.appendFails = new StreamFencedException("by a claimer");
    assertThat(failing(6)).isInstanceOf(ShardStoppedException.class);
  }

  @Test
  void claimsAgainAfterPausesThatGrowWhileNobodyKeepsTheStream() throws Exception {
    streams.appendFails = new StreamUnavailableException("no quorum");
    streams.openFails = new StreamUnavailableException("no quorum");
    assertThat(failing(1)).isInstanceOf(ShardStoppedException.class);
    assertThat(shard.phase()).isEqualTo(Shard.Phase.UNCLAIMED);
    long before = epoch;
    for (int i = 0; i < 100; i++) {
      waitingTurn(SECOND / 10);
    }
    assertThat(epoch - before).as("claims in 10 s").isBetween(4L, 10L);
    assertThat(shard.isReadable()).isTrue();
    streams.done.clear();
    assertThatThrownBy(shard.lease()::await).isInstanceOf(RequestRejectedException.class);
    assertThat(streams.done).as("nobody waits for a frame that does not come").isEmpty();
    assertThat(failureOf(submit(2)))
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(RejectionCode.UNAVAILABLE));

    streams.openFails = null;
    waitingTurn(5 * SECOND);
    assertThat(shard.phase()).isEqualTo(Shard.Phase.SERVING);
    assertThat(shard.stopped()).isNull();
    assertThat(append(1)).isEqualTo(2);
  }

  /// The stream can be fenced, and takes no frame: what is durable is read on, and what depends on
  /// there being no more is not answered.
  @Test
  void isReadWhileNoFrameOfAClaimIsConfirmed() throws Exception {
    append(1);
    streams.appendFails = new StreamUnavailableException("no quorum");
    assertThat(failing(2)).isInstanceOf(ShardStoppedException.class);
    Indexer before = shard.indexer();
    for (int round = 0; round < 3; round++) {
      streams.done.clear();
      streams.appendFails = new StreamUnavailableException("no quorum");
      waitingTurn(5 * SECOND);
      assertThat(streams.done).as("a claim").contains("fence");
      assertThat(shard.phase()).isEqualTo(Shard.Phase.UNCLAIMED);
      assertThat(shard.isReadable()).isTrue();
      assertThat(shard.log().journal(shard.indexer().strand(ledger.strand()), 2, true)).isNotNull();
      assertThatThrownBy(shard.lease()::await).isInstanceOf(RequestRejectedException.class);
      assertThat(failureOf(submit(2)))
          .isInstanceOfSatisfying(
              RequestRejectedException.class,
              refusal -> assertThat(refusal.code()).isEqualTo(RejectionCode.UNAVAILABLE));
      if (round == 0) {
        assertThat(shard.indexer()).as("nothing is kept of what has failed").isNotSameAs(before);
        before = shard.indexer();
      } else {
        assertThat(shard.indexer()).as("nothing is replayed twice").isSameAs(before);
      }
    }
    nanos += 5 * SECOND;
    streams.done.clear();
    heldWhileWaiting = false;
    shard.waitingTurn(0);
    assertThat(streams.done).contains("pause 1200");
    assertThat(heldWhileWaiting).as("the owner before may still answer").isFalse();
    assertThat(shard.phase()).isEqualTo(Shard.Phase.SERVING);
    assertThat(append(1)).as("a repeat").isEqualTo(2);
    assertThat(append(3)).isEqualTo(4);
  }

  @Test
  void claimsAgainWithoutLimitWhileItIsTheOwnerThatIsNamed() throws Exception {
    for (int round = 0; round < 5; round++) {
      append(round);
      long before = epoch;
      streams.appendFails = new StreamFencedException("by autorecovery");
      assertThat(failing(100 + round)).isInstanceOf(ShardStoppedException.class);
      assertThat(epoch).as("not at once").isEqualTo(before);
      reachable = false;
      waitingTurn(SECOND);
      assertThat(shard.phase()).isEqualTo(Shard.Phase.UNCLAIMED);
      reachable = true;
      waitingTurn(SECOND);
      assertThat(shard.phase()).isEqualTo(Shard.Phase.SERVING);
      assertThat(epoch).isEqualTo(before + 1);
    }
  }

  @Test
  void claimsAgainAfterAnErrorThatSaysNothingOfTheFrame() throws Exception {
    for (int round = 0; round < 2; round++) {
      streams.appendFails = new IOException("the connection was lost");
      assertThat(failing(round)).isInstanceOf(ShardStoppedException.class);
      assertThat(shard.phase()).isEqualTo(Shard.Phase.UNCLAIMED);
      waitingTurn(SECOND);
      assertThat(shard.phase()).isEqualTo(Shard.Phase.SERVING);
    }
  }

  /// Each would leave a segment.
  @Test
  void takesNoMoreEpochsWhileItsOwnFolderFails() throws Exception {
    append(1);
    streams.appendFails = new StreamUnavailableException("no quorum");
    assertThat(failing(2)).isInstanceOf(ShardStoppedException.class);
    meta(storage).scanFails = "the disk is broken";
    long before = epoch;
    for (int i = 0; i < 8; i++) {
      waitingTurn(5 * SECOND);
    }
    assertThat(epoch).isEqualTo(before + 1);
    assertThat(shard.stopped()).hasMessage("the disk is broken");
    meta(storage).scanFails = null;
    waitingTurn(5 * SECOND);
    assertThat(shard.phase()).isEqualTo(Shard.Phase.SERVING);
    assertThat(append(1)).as("a repeat").isEqualTo(2);
  }

  @Test
  void stopsWithItsErasingOnceAnotherIsNamed() throws Exception {
    append(1);
    streams.appendFails = new StreamFencedException("by a claimer");
    assertThat(failing(2)).isInstanceOf(ShardStoppedException.class);
    streams.done.clear();
    assertThat(shard.erasureTurn()).isEqualTo(ShardRemovals.Left.FAILED);
    ours = false;
    waitingTurn(SECOND);
    assertThat(shard.phase()).isEqualTo(Shard.Phase.READ_ONLY);
    assertThat(shard.erasureTurn()).isEqualTo(ShardRemovals.Left.FAILED);
    assertThat(streams.done).isEmpty();
    assertThat(shard.log().journal(shard.indexer().strand(ledger.strand()), 2, true)).isNotNull();
  }

  @Test
  void aFollowerComesAsFarAsTheWriterAndTakesOverWithoutBeginningAgain() throws Exception {
    HookedStreams others = openStreams();
    ShardStorage elsewhere = storage(others);
    FollowingShard follower = follow(elsewhere);
    assertThat(follower.position().number()).isZero();
    assertThat(others.done).as("the stream is not opened").isEmpty();
    long claimed = epoch;
    for (int i = 0; i < 20; i++) {
      append(i);
      StreamPosition end = shard.durableEnd();
      assertThat(follower.turn()).isTrue();
      assertThat(follower.position()).isEqualTo(end);
    }
    assertThat(follower.turn()).isFalse();
    assertThat(epoch).isEqualTo(claimed);
    assertThat(others.done).containsExactly("read");

    append(20); // the follower has not seen it
    shard.close();
    streams.close();
    streams = others;
    shard = promote(follower);
    assertThat(others.done).contains("fence");
    assertThat(append(20)).as("a repeat").isEqualTo(2 + 2 * 20);
    assertThat(append(21)).isEqualTo(2 + 2 * 21);
  }

  @Test
  void aFollowerBeginsAgainAMinuteAfterItsOpeningIfAReadHasFoundDamage() throws Exception {
    FollowingShard follower = follow(storage(openStreams()));
    assertThat(follower.turn()).isTrue();
    FollowedView view = Objects.requireNonNull(follower.view());
    follower.damaged();
    assertThat(follower.turn()).isFalse();
    assertThat(follower.view()).extracting(FollowedView::log).isSameAs(view.log());
    nanos += 60 * SECOND;
    assertThat(follower.turn()).isTrue();
    assertThat(follower.view()).extracting(FollowedView::log).isNotSameAs(view.log());
    follower.close();
  }

  /// A savepoint lets the strands rest that it saves.
  @Test
  void aFollowerKeepsFewStrandsAwake() throws Exception {
    for (int i = 1; i <= 12; i++) {
      found(Fixtures.ledger(Fixtures.TIME_MS + i));
    }
    FollowingShard follower =
        follow(storage(openStreams()), ShardConfig.defaults().withStrands(2, 3));
    assertThat(follower.turn()).isTrue();
    for (int i = 0; i < 3; i++) {
      assertThat(follower.turn()).isFalse();
    }
    assertThat(follower.awakeStrands()).isLessThanOrEqualTo(3 + 2);
    follower.close();
  }

  /// A ledger may take appends again, as a later owner has been told.
  @Test
  void refusesMarkedLedgersOnlyUnderALease() throws Exception {
    var marked = shard.tables().readOnly().markLater(ledger.strand().ledger(), 9, "one.example");
    turn();
    assertThat(marked).isCompletedWithValue(true);
    turn();
    nanos += SECOND;
    long frames = shard.durableEnd().number();
    AppendTicket refused = submit(1);
    turn();
    assertThat(failureOf(refused))
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(RejectionCode.READ_ONLY));
    assertThat(shard.durableEnd().number()).as("an empty frame").isEqualTo(frames + 1);
    nanos += SECOND;
    streams.appendFails = new StreamFencedException("by a claimer");
    assertThat(failing(2)).isInstanceOf(ShardStoppedException.class);
  }

  @Test
  void aFollowerGoesOnWithASavepointThatWasShippedIfItLacksDroppedSegments() throws Exception {
    for (int i = 0; i < 600; i++) {
      append(i);
    }
    assertThat(shard.savepoint()).isTrue();
    InMemoryDisk shippedDisk = ((InMemoryDisk) storage.disk()).copy();
    InMemoryMetaStore shippedMeta = meta(storage).rows.copy();
    long saved = shard.durableEnd().number();
    try (var eraser = storage.streams().openEraser(SHARD)) {
      assertThat(eraser.canDropBefore(shard.durableEnd().frame())).isTrue();
      eraser.dropBefore(shard.durableEnd().frame());
    }
    try (FollowingShard lost = follow(storage(openStreams()))) {
      assertThatThrownBy(lost::turn).hasMessageContaining("erased");
    }
    ReplacedMetaStore meta = new ReplacedMetaStore();
    Ownership fetching =
        new Ownership() {
          @Override
          public boolean fetchSavepoint(StreamPosition at) {
            assertThat(at.number()).isLessThan(saved);
            meta.rows = shippedMeta;
            return true;
          }
        };
    ShardStorage on =
        new ShardStorage(
            shippedDisk, meta, openStreams(), SHARD, _ -> ++epoch, storage.clock(), fetching);
    try (FollowingShard follower = follow(on)) {
      assertThat(follower.turn()).isTrue();
      assertThat(follower.position().number()).isEqualTo(saved);
      append(600);
      assertThat(follower.turn()).isTrue();
      assertThat(follower.position()).isEqualTo(shard.durableEnd());
    }
  }
}
