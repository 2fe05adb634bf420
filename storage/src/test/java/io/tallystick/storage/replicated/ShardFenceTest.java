package io.tallystick.storage.replicated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.storage.stream.StreamWriter;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinCluster;
import io.tallystick.testkit.contract.Frames;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: a shard that goes on in another cluster goes on in no other and not here; a fence that is
/// taken back leaves it as it was.
class ShardFenceTest {
  private static final StreamId SHARD = Frames.SHARD;

  private final TwinCluster cluster = new TwinCluster(7);
  private final TwinCluster.Server server = cluster.server("s1", Steps.NONE, TwinCluster.SMALL);

  @BeforeEach
  void found() throws Exception {
    cluster.found(SHARD);
  }

  private ShardFence fence(String successor) {
    return new ShardFence(
        server.logs(),
        server.coordination(),
        cluster.paths(),
        successor,
        new SplittableRandom(successor.hashCode()));
  }

  private StreamImport target() {
    return new StreamImport(
        server.logs(),
        server.coordination(),
        cluster.paths(),
        StreamImport.claims(server.coordination(), cluster.paths(), new SplittableRandom(1)),
        TwinCluster.SMALL,
        new SplittableRandom(2),
        SHARD);
  }

  private ShardOwner owner() throws Exception {
    return server.claims().owner(SHARD).orElseThrow().owner();
  }

  @Test
  void whoWritesItIsStoppedAndNobodyClaimsIt() throws Exception {
    StreamWriter writer =
        server.store().openWriter(SHARD, server.claims().claim(SHARD).epoch(), StreamStore.START);
    Frames.append(writer, "infos", "payload");
    ShardFence.Closed _ = fence("next").close(SHARD);
    assertThat(owner().successor()).contains("next");
    assertThatThrownBy(() -> Frames.append(writer, "more", "payload"))
        .isInstanceOf(StreamFencedException.class);
    assertThatThrownBy(() -> server.claims().claim(SHARD))
        .isInstanceOf(StreamFencedException.class);
  }

  @Test
  void itGoesOnInOneClusterAlone() throws Exception {
    ShardFence.Closed _ = fence("next").close(SHARD);
    assertThatThrownBy(() -> fence("other").checkFree(SHARD))
        .isInstanceOf(ShardNotEmptyException.class);
    assertThatThrownBy(() -> fence("other").close(SHARD))
        .isInstanceOf(ShardNotEmptyException.class)
        .hasMessageContaining("goes on in cluster next");
    fence("next").checkFree(SHARD);
    ShardFence.Closed again = fence("next").close(SHARD);
    fence("next").open(again);
    assertThat(owner().successor()).as("an earlier call had closed it").contains("next");
  }

  @Test
  void theImportThatMadeItDoesNotOpenIt() throws Exception {
    StreamId made = new StreamId(9);
    StreamImport target =
        new StreamImport(
            server.logs(),
            server.coordination(),
            cluster.paths(),
            StreamImport.claims(server.coordination(), cluster.paths(), new SplittableRandom(1)),
            TwinCluster.SMALL,
            new SplittableRandom(2),
            made);
    ShardClaim _ = target.claim(3);
    target.open(1);
    ShardFence.Closed _ = fence("next").close(made);
    assertThat(target.isOpen()).isFalse();
    assertThatThrownBy(() -> target.open(1)).isInstanceOf(ShardNotEmptyException.class);
    assertThatThrownBy(() -> target.claim(9)).isInstanceOf(ShardNotEmptyException.class);
    assertThat(server.claims().owner(made).orElseThrow().owner().successor()).contains("next");
  }

  @Test
  void aFenceThatIsTakenBackLeavesItAsItWas() throws Exception {
    fence("next").open(fence("next").close(SHARD));
    assertThat(owner().epoch()).as("nobody has written it").isZero();
    ShardClaim first = server.claims().claim(SHARD);
    fence("next").open(fence("next").close(SHARD));
    assertThat(owner().isClosed()).isFalse();
    assertThat(server.claims().claim(SHARD).epoch()).isGreaterThan(first.epoch() + 1);
    assertThatThrownBy(() -> target().claim(1)).isInstanceOf(ShardNotEmptyException.class);
  }

  @Test
  void anImportGoesOnBehindAFenceThatIsTakenBack() throws Exception {
    StreamId made = new StreamId(9);
    ShardClaims claims =
        StreamImport.claims(server.coordination(), cluster.paths(), new SplittableRandom(1));
    ShardClaims.foundClosed(server.coordination(), cluster.paths(), made, new SplittableRandom(4));
    ShardClaim claim = claims.claim(made);
    fence("next").open(fence("next").close(made));
    assertThatThrownBy(() -> claims.confirm(claim)).isInstanceOf(StreamFencedException.class);
    assertThatThrownBy(() -> server.claims().claim(made)).isInstanceOf(StreamFencedException.class);
    assertThat(claims.claim(made).epoch()).isGreaterThan(claim.epoch());
  }
}
