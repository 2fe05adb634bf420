package io.tallystick.cluster.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.server.host.HostedShard.Unfit;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Goal: a shard that this server alone cannot write goes to another soon, and one that perhaps
/// nobody can write stays while no other is better off. Method: a clock of the test's own.
class UnfitShardsTest {
  private static final int SHARD = 3;
  private static final Optional<Unfit> HERE = Optional.of(new Unfit("its disk is full", false));
  private static final Optional<Unfit> STREAM = Optional.of(new Unfit("no quorum", true));

  private long nanos;
  private boolean othersCanWrite = true;
  private final UnfitShards shards = new UnfitShards(() -> nanos, () -> othersCanWrite);

  private void pass(int seconds) {
    nanos += Duration.ofSeconds(seconds).toNanos();
  }

  @Test
  void whatIsWrongHereIsBorneForTenSeconds() {
    assertThat(shards.isToGo(SHARD, HERE)).isFalse();
    pass(9);
    assertThat(shards.isToGo(SHARD, HERE)).isFalse();
    pass(1);
    assertThat(shards.isToGo(SHARD + 1, HERE)).as("another").isFalse();
    assertThat(shards.isToGo(SHARD, HERE)).isTrue();
    shards.forget(SHARD);
    assertThat(shards.isToGo(SHARD, HERE)).as("it counts anew").isFalse();
  }

  @Test
  void aShardThatRecoversCountsAnew() {
    assertThat(shards.isToGo(SHARD, HERE)).isFalse();
    pass(9);
    assertThat(shards.isToGo(SHARD, Optional.empty())).isFalse();
    assertThat(shards.isToGo(SHARD, HERE)).isFalse();
    pass(9);
    assertThat(shards.isToGo(SHARD, HERE)).isFalse();
  }

  @Test
  void aStreamOutOfReachIsBorneForAMinuteAndLongerIfNobodyIsBetterOff() {
    assertThat(shards.isToGo(SHARD, STREAM)).isFalse();
    pass(59);
    assertThat(shards.isToGo(SHARD, STREAM)).isFalse();
    othersCanWrite = false;
    pass(600);
    assertThat(shards.isToGo(SHARD, STREAM)).isFalse();
    othersCanWrite = true;
    assertThat(shards.isToGo(SHARD, STREAM)).isTrue();
  }

  @Test
  void aClaimThatFailsOnceForWhatIsHereIsNotLetGoAtOnce() {
    assertThat(shards.isToGo(SHARD, STREAM)).isFalse();
    pass(30);
    assertThat(shards.isToGo(SHARD, HERE)).isFalse();
    pass(5);
    assertThat(shards.isToGo(SHARD, STREAM)).isFalse();
    pass(5);
    assertThat(shards.isToGo(SHARD, HERE)).isFalse();
    pass(9);
    assertThat(shards.isToGo(SHARD, HERE)).isFalse();
    pass(1);
    assertThat(shards.isToGo(SHARD, HERE)).isTrue();
  }
}
