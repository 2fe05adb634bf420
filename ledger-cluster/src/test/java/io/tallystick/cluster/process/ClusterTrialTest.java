package io.tallystick.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.history.HistoryClients;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.replicated.ShardOwner;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: processes on loopback lose nothing when the owner of a shard is killed or stands still, or
/// when a bookie is lost for good, under clients that ask all the while; what is done once for all
/// is done once. Safety is the simulator's to show; this shows the wiring. Method: the judge of
/// histories.
class ClusterTrialTest {
  private static final StreamId SHARD = new StreamId(0);
  private static final long TAKEOVER_SECONDS = 120;
  private static final int CLIENTS = 3;
  private static final long PAUSE_MILLIS = 20;
  private static final int SOME = 40;

  @TempDir Path folder;

  @Test
  @Timeout(value = 12, unit = TimeUnit.MINUTES)
  void nothingIsLostWhenOwnersAndABookieGo() throws Exception {
    try (ClusterTrial trial = new ClusterTrial(folder.resolve("cluster"), "192m", _ -> {})) {
      ClusterRoles roles = new ClusterRoles(trial, folder);
      roles.doWhatIsDoneOnce();
      try (ClusterConnection cluster =
              ClusterConnection.open(trial.zooKeeper(), ClusterTrial.CLUSTER);
          HistoryClients clients = new HistoryClients(trial.proxies(), folder.resolve("trust"))) {
        clients.start(CLIENTS, PAUSE_MILLIS, new SplittableRandom(1));
        clients.awaitMore(SOME, TAKEOVER_SECONDS);

        ShardOwner first = owner(cluster);
        trial.kill(first.server());
        clients.awaitMore(SOME, TAKEOVER_SECONDS);
        roles.requireSuspected(first.server());
        ShardOwner second = owner(cluster);
        assertThat(second.epoch()).isGreaterThan(first.epoch());
        assertThat(second.server()).isNotEqualTo(first.server());

        trial.startServer(number(first.server()));
        trial.awaitReady(first.server(), "Server ");
        clients.revokeAReader();
        trial.pause(second.server());
        clients.awaitMore(SOME, TAKEOVER_SECONDS);
        ShardOwner third = owner(cluster);
        assertThat(third.server()).isEqualTo(first.server());
        trial.resume(second.server());
        clients.awaitMore(SOME, TAKEOVER_SECONDS);

        trial.kill("bookie-3");
        clients.awaitMore(SOME, TAKEOVER_SECONDS);
        trial.kill(third.server());
        clients.awaitMore(SOME, TAKEOVER_SECONDS);
        assertThat(owner(cluster).epoch()).isGreaterThan(third.epoch());
        clients.stop();
        assertThat(clients.faults()).isEmpty();
        roles.rebuildRegistry();
      }
    }
  }

  private static int number(String server) {
    return Integer.parseInt(server.substring(server.indexOf('-') + 1));
  }

  private static ShardOwner owner(ClusterConnection cluster) throws Exception {
    ShardClaims claims =
        new ShardClaims(
            cluster.coordination(),
            cluster.paths(),
            new ShardClaims.Server("", "", 0),
            new SecureRandom());
    return claims.owner(SHARD).orElseThrow(() -> new IOException("no shard 0")).owner();
  }
}
