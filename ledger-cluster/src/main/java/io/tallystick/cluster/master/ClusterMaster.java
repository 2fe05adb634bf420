package io.tallystick.cluster.master;

import io.tallystick.cluster.ClusterConnection;
import io.tallystick.master.placement.MasterTurns;
import io.tallystick.master.placement.Suspicion;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A master: while it leads, it places shards on servers. What it decides is advice, so that two
/// who lead at a time do no harm.
public final class ClusterMaster implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterMaster.class);
  private static final long TURN_MILLIS = 500;
  private static final Duration SUSPICIONS_APART = Duration.ofSeconds(10);

  private final ClusterConnection connection;
  private final LeaderLatch latch;
  private final MasterTurns master;
  private final ScheduledExecutorService turns =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("master-turns").daemon().factory());

  private ClusterMaster(ClusterConnection connection, String id) {
    this.connection = connection;
    this.latch = new LeaderLatch(connection.curator(), connection.paths().root() + "/leader", id);
    this.master =
        new MasterTurns(
            connection.coordination(),
            connection.paths(),
            new Suspicion(SUSPICIONS_APART, System::nanoTime, System::currentTimeMillis),
            MasterTurns.Settings.DEFAULT,
            latch::hasLeadership,
            System::currentTimeMillis,
            new SecureRandom());
  }

  /// Starts it.
  ///
  /// @param connection closed with it
  /// @throws IOException also if there is no such cluster
  public static ClusterMaster start(ClusterConnection connection, String id)
      throws IOException, CorruptStreamException {
    ClusterMaster started = new ClusterMaster(connection, id);
    try {
      connection.identity();
      started.latch.start();
    } catch (Exception e) { // Curator declares no narrower one
      connection.close();
      if (e instanceof CorruptStreamException corrupt) {
        throw corrupt;
      }
      throw e instanceof IOException failure ? failure : new IOException(e);
    }
    var _ =
        started.turns.scheduleWithFixedDelay(started::turn, 0, TURN_MILLIS, TimeUnit.MILLISECONDS);
    return started;
  }

  private void turn() {
    try {
      for (MasterTurns.Move move : master.turn()) {
        LOG.info(
            "shard {} is placed on {}{}",
            move.shard(),
            move.to(),
            move.from().isEmpty() ? "" : ", before on " + move.from());
      }
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      LOG.warn("a turn failed and is taken again: {}", e.toString());
    }
  }

  /// Whether this master leads, as far as it knows.
  public boolean leads() {
    return latch.hasLeadership();
  }

  @Override
  public void close() throws IOException {
    turns.shutdownNow();
    try (connection;
        latch) {
      // Closed in the opposite order.
    }
  }
}
