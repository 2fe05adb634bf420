package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.hashing.GpuMode;
import io.tallystick.node.BlockLimits;
import io.tallystick.node.NodeOptions;
import io.tallystick.node.StateLimits;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.storage.forest.ForestLimits;
import io.tallystick.storage.forest.VersionLimits;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/// Goal: a service whose operator sets nothing has the limits that the pages name, and a setting
/// changes what it names alone. Method: the limits that a node would be opened with.
class NodeSeamsTest {
  private static final long MIB = 1 << 20;
  private static final int VERSIONS = 7;
  private static final int OPERATIONS = 5_000;

  private static ForestLimits states(StateLimits limits) {
    NodeOptions options =
        new NodeOptions(GpuMode.OFF, NodeOptions.DISK_STALL_DEFAULT, BlockLimits.DEFAULT, limits);
    return NodeSeams.production(options).config().states();
  }

  @Test
  void withoutSettingsTheLimitsAreTheDefaults() {
    ShardConfig config = NodeSeams.production(NodeOptions.DEFAULT).config();
    ForestLimits states = config.states();
    assertThat(states.withCacheBytes(ForestLimits.DEFAULT.cacheBytes()))
        .isEqualTo(ForestLimits.DEFAULT);
    assertThat(config.withStates(ForestLimits.DEFAULT)).isEqualTo(ShardConfig.defaults());
    assertThat(states.cacheBytes())
        .isEqualTo(NodeSeams.stateCacheBytes(Runtime.getRuntime().maxMemory()));
  }

  @Test
  void theCacheOfNodesFollowsTheHeap() {
    assertThat(NodeSeams.stateCacheBytes(64 * MIB)).isEqualTo(32 * MIB);
    assertThat(NodeSeams.stateCacheBytes(384 * MIB)).isEqualTo(32 * MIB);
    assertThat(NodeSeams.stateCacheBytes(12_288 * MIB)).isEqualTo(1_024 * MIB);
  }

  @Test
  void aSettingChangesWhatItNames() {
    ForestLimits states =
        states(
            new StateLimits(VERSIONS, OptionalLong.of(MIB), OPERATIONS, OptionalLong.of(3 * MIB)));
    assertThat(states)
        .isEqualTo(
            ForestLimits.DEFAULT
                .with(
                    new VersionLimits(
                        VERSIONS, MIB, OPERATIONS, VersionLimits.DEFAULT.freeBytesMin()))
                .withCacheBytes(3 * MIB));
  }
}
