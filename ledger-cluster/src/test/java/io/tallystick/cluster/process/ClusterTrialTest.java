package io.tallystick.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.cluster.ClusterConnection;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.replicated.ShardOwner;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: processes on loopback lose nothing when the owner of a shard is killed or stands still, or
/// when a bookie is lost for good; what is done once for all is done once. Safety is the
/// simulator's to show; this shows the wiring.
class ClusterTrialTest {
  private static final StreamId SHARD = new StreamId(0);
  private static final long TAKEOVER_SECONDS = 120;

  @TempDir Path folder;

  @Test
  @Timeout(value = 12, unit = TimeUnit.MINUTES)
  void nothingIsLostWhenOwnersAndABookieGo() throws Exception {
    ClientKey key = ClientKey.generate();
    try (ClusterTrial trial = new ClusterTrial(folder.resolve("cluster"), "192m", _ -> {});
        CountedAuthority authority = new CountedAuthority(folder.resolve("authority.pem"))) {
      trial.give("master", "--settings", authority.settings(folder).toString());
      trial.start(1);
      ClientConfig config =
          ClientConfig.of(String.join(",", trial.proxies()), folder.resolve("trust"))
              .withReader(key)
              .withCallTimeout(Duration.ofSeconds(30))
              .withRetry(RetryPolicy.DEFAULT.withTimeMax(Duration.ofSeconds(TAKEOVER_SECONDS)));
      try (TallyClient client = TallyClient.connect(config);
          ClusterConnection cluster =
              ClusterConnection.open(trial.zooKeeper(), ClusterTrial.CLUSTER)) {
        LedgerHandle ledger = client.createLedger("books", List.of(key), LedgerOptions.DEFAULT);
        SentJournals journals = new SentJournals(ledger);
        journals.send(10);
        ClusterRoles roles = new ClusterRoles(trial, folder.resolve("cluster"));
        roles.submitOnce(ledger);
        roles.stampOnce(ledger, authority);
        roles.addKeys();

        ShardOwner first = owner(cluster);
        long killedNanos = System.nanoTime();
        trial.kill(first.server());
        journals.send(1);
        Duration pause = Duration.ofNanos(System.nanoTime() - killedNanos);
        journals.send(9);
        roles.requireSuspected(first.server(), pause);
        ShardOwner second = owner(cluster);
        assertThat(second.epoch()).isGreaterThan(first.epoch());
        assertThat(second.server()).isNotEqualTo(first.server());

        trial.startServer(number(first.server()));
        trial.awaitReady(first.server(), "Server ");
        trial.pause(second.server());
        journals.send(10);
        ShardOwner third = owner(cluster);
        assertThat(third.server()).isEqualTo(first.server());
        trial.resume(second.server());
        journals.send(10);

        trial.kill("bookie-3");
        journals.send(10);
        trial.kill(third.server());
        journals.send(10);
        assertThat(owner(cluster).epoch()).isGreaterThan(third.epoch());
        journals.checkLog();
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
