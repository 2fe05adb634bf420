package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cbor.CborWriter;
import io.tallystick.server.shard.SharedOwnership;
import io.tallystick.storage.replicated.Quorum;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.storage.stream.StreamWriter;
import io.tallystick.testkit.cluster.TwinCluster;
import io.tallystick.testkit.contract.Frames;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What an owner's upkeep does with the logs of its stream, turn by turn, on twins.
class StreamUpkeepTest {
  private static final long MINUTE = 60_000;

  @TempDir Path home;
  private final TwinCluster cluster = new TwinCluster(3);
  private TwinServer server;
  private SharedOwnership ownership;
  private boolean serves = true;
  private StreamUpkeep upkeep;

  @BeforeEach
  void claim() throws Exception {
    cluster.found(TwinServer.SHARD);
    server = new TwinServer(cluster, "a", home, TestNode.CONFIG);
    ownership = server.ownership();
    upkeep =
        new StreamUpkeep(TwinServer.SHARD, server.seams.store(), ownership, () -> serves)
            .register(server.meters);
  }

  private StreamWriter take(StreamPosition from) throws Exception {
    long epoch = ownership.next(TwinServer.SHARD);
    return server.seams.store().openWriter(TwinServer.SHARD, epoch, from);
  }

  private static StreamWriter fill(StreamWriter writer) throws Exception {
    Frames.append(writer, "infos", "payload");
    writer.roll();
    Frames.append(writer, "infos", "payload");
    return writer;
  }

  /// A log that an owner of an epoch has made and not listed.
  private long leave(long epoch) throws Exception {
    CborWriter label = new CborWriter().array(4).uint(1).text(cluster.paths().cluster());
    return server
        .seams
        .logs()
        .create(Quorum.THIN, label.uint(TwinServer.SHARD.shard()).uint(epoch).toBytes())
        .log();
  }

  private double thin() {
    return server.gauge("ledger.stream.thin.segments");
  }

  @Test
  void thinSegmentsAreReplacedOnceAllMachinesAreThere() throws Exception {
    cluster.logs().stop(2);
    fill(take(StreamStore.START));
    assertThat(upkeep.turn(0)).isTrue();
    assertThat(thin()).isEqualTo(1);
    cluster.logs().start(2);
    assertThat(upkeep.turn(MINUTE - 1)).as("not yet").isFalse();
    assertThat(thin()).isEqualTo(1);
    assertThat(upkeep.turn(MINUTE)).isTrue();
    assertThat(thin()).isZero();
    assertThat(server.meters.get("ledger.stream.retired.bytes").functionCounter().count())
        .isPositive();
  }

  @Test
  void whatEarlierOwnersLeftGoesAfterAClaim() throws Exception {
    long left = leave(0);
    StreamPosition end = fill(take(StreamStore.START)).end();
    long mine = leave(1);
    assertThat(upkeep.turn(0)).isTrue();
    assertThat(cluster.logs().allLogs()).contains(mine).doesNotContain(left);
    long more = leave(0);
    assertThat(upkeep.turn(MINUTE)).isTrue();
    assertThat(cluster.logs().allLogs()).as("there is no claim since").contains(mine, more);
    take(end);
    assertThat(upkeep.turn(MINUTE + 1)).isTrue();
    assertThat(cluster.logs().allLogs()).doesNotContain(mine, more);
  }

  @Test
  void itStopsWhenTheShardIsFenced() throws Exception {
    cluster.logs().stop(2);
    StreamPosition end = fill(take(StreamStore.START)).end();
    long left = leave(0);
    serves = false;
    assertThat(upkeep.turn(0)).isFalse();
    assertThat(cluster.logs().allLogs()).contains(left);
    serves = true;
    cluster.logs().start(2);
    TwinServer other = new TwinServer(cluster, "b", home, TestNode.CONFIG);
    other.ownership().next(TwinServer.SHARD);
    assertThat(upkeep.turn(0)).isFalse();
    assertThat(thin()).isEqualTo(1);
    assertThat(upkeep.turn(100 * MINUTE)).as("it is known to be fenced").isFalse();
    assertThat(cluster.logs().allLogs())
        .as("two segments, and a copy that was never listed")
        .hasSize(3);
    ownership = server.ownership();
    StreamUpkeep again =
        new StreamUpkeep(TwinServer.SHARD, server.seams.store(), ownership, () -> serves);
    take(end);
    assertThat(again.turn(100 * MINUTE)).isTrue();
    assertThat(thin()).isZero();
  }
}
