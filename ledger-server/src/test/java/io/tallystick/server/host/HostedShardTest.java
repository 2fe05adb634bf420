package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Feature;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerNode;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.ship.PublishedSavepoint;
import io.tallystick.storage.replicated.ReplicatedLogs;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.cluster.TwinCluster;
import io.tallystick.tile.TileBundle;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the shards of a cluster's server ship their savepoints, begin with shipped ones, and erase
/// only what those hold. Method: servers with threads and folders of their own on twins of
/// BookKeeper and ZooKeeper.
class HostedShardTest {
  private static final ShardConfig OFTEN =
      TestNode.CONFIG.withShipping(new ShardConfig.Shipping(1, 0));
  private static final ShardConfig NEVER =
      TestNode.CONFIG.withShipping(new ShardConfig.Shipping(Long.MAX_VALUE, Long.MAX_VALUE / 2));

  @TempDir Path home;
  private final TwinCluster cluster = new TwinCluster(20_261_128);
  private final Fixtures ledger = Fixtures.ledger();

  @BeforeEach
  void found() throws Exception {
    cluster.found(TwinServer.SHARD);
  }

  private void append(LedgerNode node, int from, int to) throws Exception {
    for (int i = from; i < to; i++) {
      TwinServer.append(node, ledger, ledger.single(i));
    }
  }

  private List<PublishedSavepoint> pointer(TwinServer server) throws Exception {
    return server.common().shipping().pointers().apply(TwinServer.SHARD).read();
  }

  private static void awaitShipped(TwinServer server) throws InterruptedException {
    Waiting.until(
        "a savepoint is shipped",
        () -> !Double.isNaN(server.gauge("ledger.shipped.savepoint.age.seconds")));
  }

  /// Segments are small, so that most of the stream is before the savepoint.
  private static void loseFirstSegment(TwinServer server) throws Exception {
    List<ReplicatedLogs.Labelled> logs = server.seams.logs().list();
    server.seams.logs().delete(logs.getFirst().log());
  }

  @Test
  void anEmptyFolderBeginsWithAShippedSavepoint() throws Exception {
    TwinServer a = new TwinServer(cluster, "a", home, OFTEN);
    try (HostedShard shard = a.open()) {
      TwinServer.found(shard.node(), ledger);
      append(shard.node(), 0, 60);
      awaitShipped(a);
    }
    long shipped = pointer(a).getFirst().position().number();
    loseFirstSegment(a);
    TwinServer b = new TwinServer(cluster, "b", home, OFTEN);
    try (HostedShard shard = b.open()) {
      assertThat(shard.node().newestSize(ledger.strand())).isGreaterThan(60);
      append(shard.node(), 60, 70);
      Waiting.until(
          "the next owner ships", () -> pointer(b).getFirst().position().number() > shipped);
      assertThat(pointer(b).getFirst().epoch()).isEqualTo(2);
      assertThat(b.meters.get("ledger.shipped.pieces.reused").functionCounter().count())
          .isPositive();
    }
  }

  @Test
  void aLastSavepointIsShippedWhenTheShardIsLetGo() throws Exception {
    TwinServer a = new TwinServer(cluster, "a", home, NEVER);
    try (HostedShard shard = a.open()) {
      TwinServer.found(shard.node(), ledger);
      append(shard.node(), 0, 60);
      assertThat(pointer(a)).isEmpty();
    }
    assertThat(pointer(a)).hasSize(1);
    loseFirstSegment(a);
    try (HostedShard shard = new TwinServer(cluster, "b", home, NEVER).open()) {
      assertThat(shard.node().newestSize(ledger.strand())).isGreaterThan(60);
    }
  }

  /// The one that is here is older than all that are kept: what lies behind it may be erased.
  @Test
  void aFolderThatIsTooOldIsFilledAnew() throws Exception {
    TwinServer a = new TwinServer(cluster, "a", home, NEVER);
    try (HostedShard shard = a.open()) {
      TwinServer.found(shard.node(), ledger);
      append(shard.node(), 0, 5);
    }
    TwinServer b = new TwinServer(cluster, "b", home, OFTEN);
    try (HostedShard shard = b.open()) {
      long first = pointer(b).getFirst().position().number();
      append(shard.node(), 5, 60);
      Waiting.until(
          "two savepoints are behind the first",
          () -> pointer(b).getLast().position().number() > first);
    }
    loseFirstSegment(b);
    Path old = a.folder().resolve("meta/CURRENT");
    assertThat(old).exists();
    try (HostedShard shard = a.open()) {
      assertThat(shard.node().newestSize(ledger.strand())).isGreaterThan(60);
    }
    for (String name : List.of("fetched", "adopted", "fetched.fetch")) {
      assertThat(a.folder().resolve(name)).doesNotExist();
    }
  }

  @Test
  void bytesGoWhenTheShippedSavepointHoldsTheRemoval() throws Exception {
    TwinServer a = new TwinServer(cluster, "a", home, NEVER);
    byte[] wanted = "payload 777".getBytes(StandardCharsets.UTF_8);
    try (HostedShard shard = a.open()) {
      LedgerNode node = shard.node();
      TwinServer.found(node, ledger);
      TwinServer.append(node, ledger, OccultStory.regulator(ledger));
      long jsn = TwinServer.append(node, ledger, ledger.single(777));
      append(node, 0, 5);
      JournalRef named =
          new JournalRef(
              new Jsn(jsn), TreeHasher.leafHash(node.journal(ledger.strand(), jsn, false).leaf()));
      TwinServer.append(
          node, ledger, OccultStory.occult(ledger, new ErasureTarget.Journals(List.of(named))));
      append(node, 5, 10);
      Waiting.until(
          "a savepoint has it", () -> a.meters.get("ledger.savepoint").timer().count() > 0);
      awaitAnErasingTurn(a, shard);
      assertThat(cluster.logs().holds(wanted)).as("no savepoint was shipped").isTrue();
    }
    TwinServer again = new TwinServer(cluster, "a", home, OFTEN);
    try (HostedShard shard = again.open()) {
      append(shard.node(), 10, 12);
      Waiting.until("the bytes are gone", () -> !cluster.logs().holds(wanted));
    }
  }

  /// One that begins behind this call, and all that follows on it at once.
  private static void awaitAnErasingTurn(TwinServer server, HostedShard shard) throws Exception {
    ShardNode node = (ShardNode) shard.node();
    for (int i = 0; i < 4; i++) { // the rest of a turn, and another
      int looks = server.erasingLooks.get();
      node.shard().removals().removalSaved();
      Waiting.until("it looks again", () -> server.erasingLooks.get() > looks);
    }
  }

  private static void refusedAsUnavailable(ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            refusal -> {
              assertThat(refusal.code()).isEqualTo(RejectionCode.UNAVAILABLE);
              assertThat(refusal).hasMessageNotContaining("disk");
            });
  }

  @Test
  void whatIsDurableIsReadWithoutAQuorumAndAppendsResumeByThemselves() throws Exception {
    TwinServer a = new TwinServer(cluster, "a", home, NEVER);
    try (HostedShard shard = a.open()) {
      LedgerNode node = shard.node();
      TwinServer.found(node, ledger);
      append(node, 0, 40);
      long size = node.newestSize(ledger.strand());
      cluster.logs().stop(0);
      cluster.logs().stop(1);
      assertThatThrownBy(() -> appendAsAlice(node, 40)).as("in flight").isNotNull();
      Waiting.until("the lease is over", () -> isUnavailable(() -> newest(node)));
      for (int round = 0; round < 3; round++) {
        readWhatIsDurable(node, size);
        refusedAsUnavailable(() -> appendAsAlice(node, 41));
        refusedAsUnavailable(() -> newest(node));
        refusedAsUnavailable(() -> node.journal(ledger.strand(), 2, true));
        refusedAsUnavailable(() -> node.journal(ledger.strand(), size, false));
        assertThat(node.health().readable()).isTrue();
        assertThat(node.health().appendable()).isFalse();
        assertThat(shard.unfit().orElseThrow().mayBeOfAll()).isTrue();
        Thread.sleep(300); // claims meanwhile
      }
      cluster.logs().start(0);
      Waiting.until("appends resume", () -> node.health().appendable());
      append(node, 40, 45);
      assertThat(newest(node)).isGreaterThan(size);
      assertThat(shard.unfit()).isEmpty();
    }
  }

  /// Another server can write it meanwhile.
  @Test
  void aClaimThatFailsForWhatIsHereIsNoLackOfAQuorum() throws Exception {
    TwinServer a = new TwinServer(cluster, "a", home, NEVER);
    try (HostedShard shard = a.open()) {
      LedgerNode node = shard.node();
      TwinServer.found(node, ledger);
      append(node, 0, 10);
      a.unlisted = true;
      cluster.logs().stop(0);
      cluster.logs().stop(1);
      assertThatThrownBy(() -> appendAsAlice(node, 10)).isNotNull();
      cluster.logs().start(0);
      cluster.logs().start(1);
      Waiting.until("a claim fails", () -> isUnfitHere(shard));
      a.unlisted = false;
      Waiting.until("appends resume", () -> node.health().appendable());
      append(node, 11, 15);
    }
  }

  private static boolean isUnfitHere(HostedShard shard) {
    return shard.unfit().filter(its -> !its.mayBeOfAll()).isPresent();
  }

  /// Who the members are is not asked of the node.
  private void appendAsAlice(LedgerNode node, int number) throws RequestRejectedException {
    Submission submission = ledger.single(number);
    var _ =
        TestNode.await(
            node.append(
                new SubmissionVerifier(TestNode.SIGNATURES, Set.of())
                    .verify(
                        ledger.strand(),
                        submission.requests(),
                        submission.attestation(),
                        ledger.keys())));
  }

  private long newest(LedgerNode node) throws RequestRejectedException {
    return node.newestSize(ledger.strand());
  }

  private static boolean isUnavailable(Callable<?> read) throws Exception {
    try {
      read.call();
      return false;
    } catch (RequestRejectedException e) {
      return e.code() == RejectionCode.UNAVAILABLE;
    }
  }

  private void readWhatIsDurable(LedgerNode node, long size) throws RequestRejectedException {
    StrandId strand = ledger.strand();
    for (long jsn = 0; jsn < size; jsn++) {
      assertThat(node.journal(strand, jsn, false).leaf().isEmpty()).isFalse();
      assertThat(node.receipt(strand, jsn)).isNotEmpty();
      assertThat(node.inclusion(strand, jsn, size)).isNotNull();
    }
    assertThat(node.consistency(strand, 2, size)).isNotNull();
    assertThat(node.tile(strand, 0, 0, 10)).hasSize(10 * Digest.BYTES);
    assertThat(node.bundle(strand, TileBundle.ENTRIES, 0, size).bytes().isEmpty()).isFalse();
    assertThat(node.blockAt(strand, 1)).isNotNull();
    assertThat(node.isPublic(strand.ledger())).isFalse();
  }

  private static List<String> images(TwinServer server) throws IOException {
    try (Stream<Path> files = Files.list(server.folder().resolve("images"))) {
      return files.map(each -> each.getFileName().toString()).sorted().toList();
    }
  }

  /// Nothing would erase values in them; the next opening fetches what there is then.
  @Test
  void imagesOfAShardThatIsNotOpenCanBeForgotten() throws Exception {
    Fixtures clued = ledger.withFeatures(Set.of(Feature.CLUE_TRIE));
    TwinServer a = new TwinServer(cluster, "a", home, NEVER);
    assertThat(FollowedShard.hasImages(a.folder())).isFalse();
    List<String> before;
    try (HostedShard shard = a.open()) {
      TwinServer.found(shard.node(), clued);
      for (int i = 0; i < 5; i++) {
        TwinServer.append(shard.node(), clued, clued.clued(i, "a clue"));
      }
      shard.node().purges().orElseThrow().prepare(clued.strand(), 3, List.of());
      before = images(a);
      assertThat(before).isNotEmpty();
      assertThatThrownBy(() -> FollowedShard.forgetImages(a.folder()))
          .as("it is open")
          .isInstanceOf(IOException.class);
    }
    assertThat(FollowedShard.hasImages(a.folder())).isTrue();
    FollowedShard.forgetImages(a.folder());
    assertThat(FollowedShard.hasImages(a.folder())).isFalse();
    try (HostedShard _ = a.open()) {
      Waiting.until("they are fetched", () -> images(a).equals(before));
    }
  }

  /// Its thread would be missed by nobody.
  @Test
  void aFollowerGoesOnAfterAnError() throws Exception {
    TwinServer a = new TwinServer(cluster, "a", home, NEVER);
    TwinServer b = new TwinServer(cluster, "b", home, NEVER);
    AtomicInteger failures = new AtomicInteger(1);
    HookedHasher hasher = new HookedHasher();
    hasher.onLeaves =
        () -> {
          if (failures.getAndDecrement() > 0) {
            throw new OutOfMemoryError("of the test");
          }
        };
    HostedShard.Common common = b.common();
    HostedShard.Common failing =
        new HostedShard.Common(
            common.keys(),
            common.pairs(),
            common.authority(),
            common.streams(),
            common.shipping(),
            common.config(),
            hasher,
            common.signatures(),
            common.meters(),
            common.clock());
    HostedShard owner = a.open();
    try (FollowedShard follower =
        FollowedShard.open(b.folder(), TwinServer.SHARD, b.ownership(), failing).start()) {
      TwinServer.found(owner.node(), ledger);
      append(owner.node(), 0, 5);
      awaitFrame(follower, 5);
      assertThat(failures.get()).isNegative();
    }
    owner.close();
  }

  private static void awaitFrame(FollowedShard follower, long frame) throws InterruptedException {
    Waiting.until("frame " + frame + " is replayed", () -> follower.nextFrame() >= frame);
  }

  @Test
  void aFollowerReplaysWhatTheOwnerWritesAndIsPromoted() throws Exception {
    TwinServer a = new TwinServer(cluster, "a", home, OFTEN);
    TwinServer b = new TwinServer(cluster, "b", home, NEVER);
    HostedShard owner = a.open();
    LedgerId id = ledger.strand().ledger();
    FollowedShard follower = b.follow().start();
    TwinServer.found(owner.node(), ledger);
    append(owner.node(), 0, 40);
    awaitFrame(follower, 30);
    assertThat(owner.node().health().appendable()).as("it notices nothing").isTrue();
    assertThat(b.gauge("ledger.follower.lag.ms")).isBetween(0.0, 10_000.0);
    try (HostedShard next = follower.promote()) {
      assertThat(next.node().newestSize(ledger.strand())).isGreaterThan(40);
      append(next.node(), 40, 50);
      assertThat(b.gauge("ledger.shard.epoch")).isEqualTo(2);
      assertThat(b.gauge("ledger.takeover.seconds")).as("with the lease").isGreaterThan(1.1);
      assertThat(b.meters.find("ledger.follower.lag.ms").gauge()).isNull();
      assertUnsure(() -> owner.node().liftReadOnly(id, Optional.empty()));
      assertUnsure(() -> owner.node().memberCertificates().orElseThrow().erase(id, id.digest()));
    }
    closeFenced(owner);
  }

  /// There is another owner, which may have changed what is asked for.
  private static void assertUnsure(ThrowableAssert.ThrowingCallable asked) {
    assertThat(catchThrowableOfType(RequestRejectedException.class, asked).code())
        .isEqualTo(RejectionCode.UNAVAILABLE);
  }

  /// What it has to replay was dropped meanwhile.
  @Test
  void aFollowerThatMeetsErasedFramesGoesOnFromAShippedSavepoint() throws Exception {
    TwinServer a = new TwinServer(cluster, "a", home, OFTEN);
    TwinServer b = new TwinServer(cluster, "b", home, NEVER);
    HostedShard owner = a.open();
    TwinServer.found(owner.node(), ledger);
    try (FollowedShard follower = b.follow()) {
      append(owner.node(), 0, 60);
      awaitShipped(a);
      PublishedSavepoint shipped = pointer(a).getLast();
      a.seams.store().openEraser(TwinServer.SHARD).dropBefore(shipped.position().frame());
      follower.start();
      awaitFrame(follower, shipped.position().number());
      append(owner.node(), 60, 80);
      awaitFrame(follower, shipped.position().number() + 15);
      try (HostedShard next = follower.promote()) {
        assertThat(next.node().newestSize(ledger.strand())).isGreaterThan(80);
        append(next.node(), 80, 85);
      }
    }
    closeFenced(owner);
  }

  /// It may have noticed, or not yet.
  static void closeFenced(HostedShard owner) {
    try {
      owner.close();
    } catch (IOException e) {
      assertThat(e.getSuppressed()).hasOnlyElementsOfType(StreamFencedException.class);
    }
  }
}
