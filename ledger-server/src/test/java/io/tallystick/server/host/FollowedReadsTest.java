package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.journal.BodyState;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.JournalRef;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.FollowerDoor;
import io.tallystick.node.FollowerRead;
import io.tallystick.node.LedgerRead;
import io.tallystick.node.LogRead;
import io.tallystick.node.NodeRead;
import io.tallystick.server.read.Evidence;
import io.tallystick.server.seal.Indexer;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.shard.FollowedView;
import io.tallystick.server.shard.FollowingShard;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.cluster.TwinCluster;
import io.tallystick.testkit.cluster.TwinFaults;
import io.tallystick.tile.TileBundle;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: who follows a shard answers as its owner does, as far as frames behind confirm its blocks;
/// it leaves all refusals to the owner, and shows no body that may be erased. Method: an owner and
/// a follower with threads and folders of their own on twins of BookKeeper and ZooKeeper.
class FollowedReadsTest {
  private static final ShardConfig NEVER =
      TestNode.CONFIG.withShipping(new ShardConfig.Shipping(Long.MAX_VALUE, Long.MAX_VALUE / 2));
  private static final TwinFaults LATE = new TwinFaults(0, 0, 0, 0, 1000);
  private static final long NO_FRAME = -1;

  @TempDir Path home;
  private final TwinCluster cluster = new TwinCluster(20_261_128);
  private final Fixtures ledger = Fixtures.ledger();
  private final StrandId strand = ledger.strand();
  private HostedShard owner;
  private FollowedShard follower;

  @BeforeEach
  void open() throws Exception {
    cluster.found(TwinServer.SHARD);
    owner = new TwinServer(cluster, "a", home, NEVER).open();
    follower = new TwinServer(cluster, "b", home, NEVER).follow().start();
    TwinServer.found(owner.node(), ledger);
    TwinServer.append(owner.node(), ledger, OccultStory.regulator(ledger));
    append(0, 30);
  }

  @AfterEach
  void close() throws Exception {
    follower.close();
    owner.close();
  }

  private void append(int from, int to) throws Exception {
    for (int i = from; i < to; i++) {
      TwinServer.append(owner.node(), ledger, ledger.single(i));
    }
  }

  private FollowerDoor door() {
    return follower.reads();
  }

  private long newestFrame() throws RequestRejectedException {
    return owner.node().ask(new LedgerRead.NewestFrame());
  }

  private boolean answers(NodeRead<?> read, long frame) {
    try {
      return door().ask(read, frame) != null;
    } catch (RequestRejectedException e) {
      assertThat(e.code()).isEqualTo(RejectionCode.UNAVAILABLE);
      return false;
    }
  }

  private List<NodeRead<?>> lasting() {
    return List.of(
        new LogRead.Inclusion(strand, 2, 20),
        new LogRead.Consistency(strand, 5, 20),
        new LogRead.Tile(strand, 0, 0, 16),
        new LogRead.BlockAt(strand, 1),
        new LogRead.BlockOf(strand, 9),
        new LogRead.Receipt(strand, 9),
        new LogRead.RangeReceipt(strand, 3, 1));
  }

  private List<NodeRead<?>> erasable() {
    return List.of(
        new LogRead.Journal(strand, 8, true),
        new LogRead.Journal(strand, 8, false),
        new LogRead.Proven(strand, 8, 20),
        new LogRead.Bundle(strand, TileBundle.BODIES, 0, 10));
  }

  @Test
  void answersAsTheOwnerDoes() throws Exception {
    long frame = newestFrame();
    Waiting.until("all is replayed", () -> answers(new LogRead.Journal(strand, 24, true), frame));
    for (NodeRead<?> read : lasting()) {
      assertThat(FollowerRead.of(read)).isEqualTo(FollowerRead.ALWAYS);
      assertThat(door().<Object>ask(read(read), NO_FRAME)).isEqualTo(owner.node().ask(read(read)));
    }
    for (NodeRead<?> read : erasable()) {
      assertThat(FollowerRead.of(read)).isEqualTo(FollowerRead.UP_TO_DATE);
      assertThat(door().<Object>ask(read(read), frame)).isEqualTo(owner.node().ask(read(read)));
    }
  }

  @SuppressWarnings("unchecked")
  private static NodeRead<Object> read(NodeRead<?> read) {
    return (NodeRead<Object>) read;
  }

  /// Without the newest frame, or one that it has not replayed, it may not know of an erasure.
  @Test
  void whatMayBeErasedIsAnsweredBehindTheOwnersFrameAlone() throws Exception {
    long frame = newestFrame();
    Waiting.until("all is replayed", () -> answers(new LogRead.Journal(strand, 24, true), frame));
    for (NodeRead<?> read : erasable()) {
      assertThat(answers(read, follower.nextFrame() - 1)).isTrue();
      assertThat(answers(read, follower.nextFrame() + 1)).isFalse();
      assertThat(answers(read, NO_FRAME)).isFalse();
    }
  }

  /// The owner says FUTURE_SIZE, UNKNOWN_LEDGER and OUT_OF_RANGE, which a client takes as evidence.
  @Test
  void leavesRefusalsToTheOwner() throws Exception {
    Waiting.until("it is open", () -> answers(new LogRead.Inclusion(strand, 2, 20), NO_FRAME));
    StrandId other = new StrandId(new LedgerId(Digest.ZERO), 0);
    long frame = newestFrame();
    for (NodeRead<?> read :
        List.<NodeRead<?>>of(
            new LogRead.Inclusion(strand, 2, 9_999),
            new LogRead.Inclusion(strand, 9_999, 20),
            new LogRead.Inclusion(strand, -1, 20),
            new LogRead.Inclusion(strand, 2, -1),
            new LogRead.Inclusion(strand, 2, 0),
            new LogRead.Consistency(strand, 5, 9_999),
            new LogRead.Consistency(strand, 5, 0),
            new LogRead.Tile(strand, 0, 0, 9_999),
            new LogRead.Tile(strand, -1, 0, 1),
            new LogRead.Tile(strand, 0, Long.MAX_VALUE, Integer.MAX_VALUE),
            new LogRead.BlockAt(strand, 9_999),
            new LogRead.BlockOf(strand, 9_999),
            new LogRead.Receipt(other, 1),
            new LogRead.Receipt(new StrandId(strand.ledger(), 1), 1),
            new LogRead.NewestSize(strand),
            new LogRead.Checkpoint(strand),
            new LedgerRead.Members(strand.ledger()),
            new LedgerRead.NewestFrame())) {
      assertThatThrownBy(() -> door().ask(read, frame))
          .as(read.toString())
          .isInstanceOfSatisfying(
              RequestRejectedException.class,
              refusal -> assertThat(refusal.code()).isEqualTo(RejectionCode.UNAVAILABLE));
    }
  }

  /// Readers do not know of the newest frame yet: mostly the one that names the newest block.
  @Test
  void answersUpToTheNewestBlockThatAFrameBehindItNames() throws Exception {
    cluster.faults(LATE);
    TwinServer third = new TwinServer(cluster, "c", home, NEVER);
    HostedShard.Common common = third.common();
    try (HostedParts parts =
            HostedParts.open(third.folder(), TwinServer.SHARD, third.ownership(), common);
        FollowingShard shard =
            FollowingShard.open(
                parts.storage(),
                common.config(),
                ArrayLimits.DEFAULT,
                common.hasher(),
                parts.signer(),
                parts.meters())) {
      FollowedReads reads =
          new FollowedReads(shard::view, shard::damaged, new Evidence(parts.signer()));
      assertThatThrownBy(() -> reads.ask(lasting().getFirst(), NO_FRAME))
          .as("before the first turn")
          .isInstanceOf(RequestRejectedException.class);
      LogRead.Inclusion newest = null;
      for (int i = 30; newest == null; i++) {
        assertThat(i).as("each block was named at once").isLessThan(130);
        append(i, i + 1);
        Thread.sleep(30); // the closing frame comes
        shard.turn();
        Indexer indexer = Objects.requireNonNull(shard.view()).indexer();
        StrandIndex index = indexer.strand(strand);
        if (indexer.guardedBlocks(index) < index.head().blocks()) {
          newest = new LogRead.Inclusion(strand, 2, index.head().size());
        }
      }
      LogRead.Inclusion beyond = newest;
      assertThatThrownBy(() -> reads.ask(beyond, NO_FRAME))
          .isInstanceOfSatisfying(
              RequestRejectedException.class,
              refusal -> assertThat(refusal.code()).isEqualTo(RejectionCode.UNAVAILABLE));
      assertThat(reads.ask(new LogRead.Inclusion(strand, 2, 20), NO_FRAME)).isNotNull();
      cluster.faults(TwinFaults.NONE);
      append(200, 201);
      Waiting.until("the next frames are there", shard::turn);
      assertThat(reads.ask(beyond, NO_FRAME)).isEqualTo(owner.node().ask(beyond));
    }
  }

  /// The owner answers, and may have good bytes; the operator hears of it.
  @Test
  void damageIsToldAndLeftToTheOwner() throws Exception {
    TwinServer third = new TwinServer(cluster, "c", home, NEVER);
    HostedShard.Common common = third.common();
    AtomicInteger told = new AtomicInteger();
    try (HostedParts parts =
            HostedParts.open(third.folder(), TwinServer.SHARD, third.ownership(), common);
        FollowingShard shard =
            FollowingShard.open(
                parts.storage(),
                common.config(),
                ArrayLimits.DEFAULT,
                common.hasher(),
                parts.signer(),
                parts.meters())) {
      var _ = shard.turn();
      Evidence evidence = new Evidence(parts.signer());
      FollowedReads reads = new FollowedReads(shard::view, told::incrementAndGet, evidence);
      LogRead.Journal read = new LogRead.Journal(strand, 8, true);
      assertThat(reads.ask(read, 0).bodyState()).isEqualTo(BodyState.PRESENT);
      damageAll();
      assertUnavailable(reads, read);
      assertThat(told).hasValue(1);
      Iterator<@Nullable FollowedView> reopens = Arrays.asList(shard.view(), null).iterator();
      assertUnavailable(new FollowedReads(reopens::next, told::incrementAndGet, evidence), read);
      assertThat(told).as("what was read of an opening that has ended").hasValue(1);
    }
  }

  private static void assertUnavailable(FollowerDoor door, NodeRead<?> read) {
    assertThatThrownBy(() -> door.ask(read, 0))
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(RejectionCode.UNAVAILABLE));
  }

  /// Some bits of each entry.
  private void damageAll() {
    for (long log : cluster.logs().allLogs()) {
      int entry = 0;
      while (damage(log, entry, 0)) {
        for (int offset = 8; damage(log, entry, offset); offset += 8) {}
        entry++;
      }
    }
  }

  private boolean damage(long log, int entry, int offset) {
    try {
      cluster.logs().damage(log, entry, offset);
      return true;
    } catch (IndexOutOfBoundsException _) {
      return false;
    }
  }

  @Test
  void noBodyIsShownAfterAnAcknowledgedOccult() throws Exception {
    LogRead.Journal read = new LogRead.Journal(strand, 8, true);
    long before = newestFrame();
    Waiting.until("the body is shown", () -> answers(read, before));
    assertThat(door().ask(read, before).bodyState()).isEqualTo(BodyState.PRESENT);
    JournalRef named =
        new JournalRef(
            new Jsn(8), TreeHasher.leafHash(owner.node().journal(strand, 8, false).leaf()));
    TwinServer.append(
        owner.node(),
        ledger,
        OccultStory.occult(ledger, new ErasureTarget.Journals(List.of(named))));
    long behind = newestFrame();
    Waiting.until(
        "it answers again",
        () -> {
          boolean answered = answers(read, behind);
          if (answered) {
            assertThat(door().ask(read, behind).bodyState()).isEqualTo(BodyState.ERASED);
          }
          return answered;
        });
  }
}
