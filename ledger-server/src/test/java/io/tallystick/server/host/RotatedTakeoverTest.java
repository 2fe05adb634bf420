package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LedgerRead;
import io.tallystick.node.LogRead;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.note.SignedNote;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.cluster.TwinCluster;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: whoever takes a shard over signs its ledgers with the keys that they were rotated to, and
/// a ledger is rotated only to keys that every server holds. Method: two servers with one folder of
/// keys each, a list of pairs that the test changes, and a follower from before the rotation.
class RotatedTakeoverTest {
  @TempDir Path home;
  private final TwinCluster cluster = new TwinCluster(20_261_129);
  private final Fixtures ledger = Fixtures.ledger();

  @BeforeEach
  void found() throws Exception {
    cluster.found(TwinServer.SHARD);
  }

  private Submission rotation() {
    return ledger.govern(
        Kind.KEY_ROTATION,
        new Extension.KeyRotation(
            Fixtures.NEXT_NOTE.publicKey(), Fixtures.NEXT_RECEIPT.publicKey()),
        Fixtures.ALICE);
  }

  @Test
  void theNextOwnerSignsWithTheRotatedKeys() throws Exception {
    TwinServer a = new TwinServer(cluster, "a", home, ShardConfig.defaults());
    TwinServer b = new TwinServer(cluster, "b", home, ShardConfig.defaults());
    HostedShard owner = a.open();
    FollowedShard follower = b.follow().start();
    TwinServer.found(owner.node(), ledger);
    ServiceIdentity first = owner.node().identity();
    a.hold(Fixtures.NEXT_NOTE, Fixtures.NEXT_RECEIPT);
    assertThat(
            catchThrowableOfType(
                    RequestRejectedException.class,
                    () -> TwinServer.append(owner.node(), ledger, rotation()))
                .code())
        .as("held and not listed")
        .isEqualTo(RejectionCode.KEY_NOT_ALLOWED);
    for (TwinServer each : new TwinServer[] {a, b}) {
      each.listed.addFirst(Fixtures.NEXT_RECEIPT.publicKey().kid()); // the other stays the present
    }
    long rotated = TwinServer.append(owner.node(), ledger, rotation());
    TwinServer.append(owner.node(), ledger, ledger.single(1));
    Waiting.until("it is replayed", () -> follower.nextFrame() > rotated);
    try (HostedShard next = follower.promote()) {
      LedgerNode node = next.node();
      long jsn = TwinServer.append(node, ledger, ledger.single(2));
      assertThat(node.receipt(ledger.strand(), jsn)).isNotEmpty();
      SignedNote head = SignedNote.decode(Bytes.wrap(node.checkpoint(ledger.strand())));
      assertThat(head.signatures()).as("by the old key too, for a while").hasSize(2);
      assertThat(node.health().appendable()).isTrue();
      assertThat(node.identity()).isEqualTo(first);
    }
    HostedShardTest.closeFenced(owner);
  }

  /// ZooKeeper may be away right after the claim: appends go on.
  @Test
  void theNextOwnerHasReadThePairsWhenItServes() throws Exception {
    TwinServer a = new TwinServer(cluster, "a", home, ShardConfig.defaults());
    TwinServer b = new TwinServer(cluster, "b", home, ShardConfig.defaults());
    HostedShard owner = a.open();
    FollowedShard follower = b.follow().start();
    rotate(owner, a, b);
    try (HostedShard next = follower.promote()) {
      b.unlisted = true;
      long jsn = TwinServer.append(next.node(), ledger, ledger.single(2));
      assertThat(next.node().receipt(ledger.strand(), jsn)).isNotEmpty();
    }
    HostedShardTest.closeFenced(owner);
  }

  @Test
  void aReadThatNeedsAKeyWhichCannotBeReadNowIsAskedForAgain() throws Exception {
    TwinServer a = new TwinServer(cluster, "a", home, ShardConfig.defaults());
    TwinServer b = new TwinServer(cluster, "b", home, ShardConfig.defaults());
    try (HostedShard owner = a.open();
        FollowedShard follower = b.follow().start()) {
      b.unlisted = true;
      long rotated = rotate(owner, a, b);
      LogRead.Receipt read = new LogRead.Receipt(ledger.strand(), rotated + 2);
      Waiting.until("it is replayed and named", () -> follower.nextFrame() > newestFrame(owner));
      assertThat(
              catchThrowableOfType(
                  RequestRejectedException.class, () -> follower.reads().ask(read, -1)))
          .hasMessageContaining("cannot be read now")
          .extracting(RequestRejectedException::code)
          .isEqualTo(RejectionCode.UNAVAILABLE);
      b.unlisted = false;
      follower.readPairs();
      b.unlisted = true;
      assertThat(follower.reads().ask(read, -1)).isEqualTo(owner.node().ask(read));
    }
  }

  private static long newestFrame(HostedShard owner) throws RequestRejectedException {
    return owner.node().ask(new LedgerRead.NewestFrame());
  }

  /// @return the jsn
  private long rotate(HostedShard owner, TwinServer a, TwinServer b) throws Exception {
    TwinServer.found(owner.node(), ledger);
    a.hold(Fixtures.NEXT_NOTE, Fixtures.NEXT_RECEIPT);
    for (TwinServer each : new TwinServer[] {a, b}) {
      each.listed.addFirst(Fixtures.NEXT_RECEIPT.publicKey().kid());
    }
    long rotated = TwinServer.append(owner.node(), ledger, rotation());
    TwinServer.append(owner.node(), ledger, ledger.single(1));
    return rotated;
  }
}
