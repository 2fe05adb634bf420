package io.tallystick.master.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.master.coordinated.FoundedTwin;
import io.tallystick.master.presence.Presence;
import io.tallystick.master.presence.PresentServer;
import io.tallystick.master.presence.PresentServers;
import io.tallystick.master.presence.ServerIdTakenException;
import io.tallystick.master.presence.ShardLoad;
import io.tallystick.storage.replicated.ClusterPaths;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.Coordination.Versioned;
import io.tallystick.storage.replicated.ShardClaim;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinFaults;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Goal: two masters that both take themselves for the leader do no harm: no shard has two owners
/// of one epoch, none gets another target within ten seconds, and once nothing fails any more the
/// targets settle on servers that are there. Method: two masters and three servers, one interrupted
/// by another at any step; sessions end, answers are lost, old values are read. What is judged is
/// what stands in the twin.
class TwoMastersTest {
  private static final int SHARDS = 6;
  private static final Duration APART = Duration.ofSeconds(10);
  private static final TwinFaults FAULTS = new TwinFaults(0, 150, 50, 200, 0);
  private static final ClusterPaths PATHS = FoundedTwin.PATHS;

  @Seeded(runs = 40, longRuns = 1000)
  void doNoHarm(SplittableRandom random) throws Exception {
    Run run = new Run(random);
    run.cluster.twin.faults(FAULTS);
    for (int i = 0; i < 150; i++) {
      run.turnOfSomeone();
      if (random.nextInt(15) == 0) {
        run.cluster.twin.expire(run.servers[random.nextInt(run.servers.length)].client);
      }
      run.cluster.pass(Duration.ofMillis(random.nextInt(3000)));
      run.judge();
    }
    run.cluster.twin.faults(TwinFaults.NONE);
    run.settle();
  }

  /// What happens with one seed.
  private static final class Run {
    final SplittableRandom random;
    final FoundedTwin cluster;
    final Server[] servers = new Server[3];
    final MasterTurns[] masters = new MasterTurns[2];
    final Map<Integer, Integer> versions = new HashMap<>();
    final Map<Integer, Long> changedMs = new HashMap<>();
    final Set<String> claimed = new HashSet<>();
    final Coordination watch;
    private boolean interrupted;

    Run(SplittableRandom random) throws Exception {
      this.random = random;
      this.cluster = new FoundedTwin(random, SHARDS);
      this.watch = cluster.client();
      for (int i = 0; i < servers.length; i++) {
        servers[i] = new Server("s" + i, this);
      }
      for (int i = 0; i < masters.length; i++) {
        masters[i] =
            new MasterTurns(
                cluster.twin.client(interrupt()),
                PATHS,
                new Suspicion(APART, cluster::nanos, () -> cluster.nowMs),
                MasterTurns.Settings.DEFAULT,
                () -> true,
                () -> cluster.nowMs,
                random);
      }
    }

    Steps interrupt() {
      return what -> {
        judgeTargets();
        if (!interrupted && random.nextInt(25) == 0) {
          interrupted = true;
          turnOfSomeone();
          interrupted = false;
        }
      };
    }

    void turnOfSomeone() {
      int who = random.nextInt(servers.length + masters.length);
      try {
        if (who < servers.length) {
          servers[who].turn();
        } else {
          masters[who - servers.length].turn();
        }
      } catch (IOException _) {
        // The next turn looks again.
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }

    void judge() throws Exception {
      judgeTargets();
      Set<String> epochs = new HashSet<>();
      for (String claim : claimed) {
        String shardAndEpoch = claim.substring(0, claim.lastIndexOf(' '));
        assertThat(epochs.add(shardAndEpoch)).as("two owners: " + claimed).isTrue();
      }
    }

    /// Called at every step, so that each change is seen before the clock moves on.
    private void judgeTargets() {
      try {
        for (int shard = 0; shard < SHARDS; shard++) {
          Optional<Versioned> target = unfailing(PATHS.target(new StreamId(shard)));
          int version = target.map(Versioned::version).orElse(-1);
          if (version != versions.getOrDefault(shard, -1)) {
            assertThat(version - versions.getOrDefault(shard, -1)).isEqualTo(1);
            Long before = changedMs.put(shard, cluster.nowMs);
            versions.put(shard, version);
            assertThat(before == null || cluster.nowMs - before >= APART.toMillis())
                .as("shard %d moved at %s and %d", shard, before, cluster.nowMs)
                .isTrue();
          }
        }
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    private Optional<Versioned> unfailing(String path) throws IOException {
      cluster.twin.faults(TwinFaults.NONE);
      Optional<Versioned> there = watch.read(path);
      cluster.twin.faults(faultsNow);
      return there;
    }

    private TwinFaults faultsNow = FAULTS;

    /// Nothing fails: within some turns each shard is where its target is, and stays.
    void settle() throws Exception {
      faultsNow = TwinFaults.NONE;
      for (int i = 0; i < 12; i++) {
        everyonesTurn();
        cluster.pass(APART);
      }
      Map<Integer, Integer> settled = Map.copyOf(versions);
      Map<String, Integer> counts = new HashMap<>();
      for (int shard = 0; shard < SHARDS; shard++) {
        counts.merge(cluster.owner(shard), 1, Integer::sum);
      }
      everyonesTurn();
      judge();
      assertThat(versions).isEqualTo(settled);
      Map<String, PresentServer> present = new PresentServers(watch, PATHS).read();
      assertThat(present).hasSize(servers.length);
      assertThat(counts).isEqualTo(Map.of("s0", 2, "s1", 2, "s2", 2));
    }

    private void everyonesTurn() throws Exception {
      for (Server server : servers) {
        server.turn();
      }
      for (MasterTurns master : masters) {
        master.turn();
      }
      judgeTargets();
    }
  }

  /// Shows itself and claims what it shall write.
  private static final class Server {
    final String id;
    final Run run;
    final Coordination client;
    final ShardClaims claims;
    final Map<Integer, ShardClaim> held = new HashMap<>();
    @Nullable Presence presence;

    Server(String id, Run run) {
      this.id = id;
      this.run = run;
      this.client = run.cluster.twin.client(run.interrupt());
      this.claims = run.cluster.claims(client, id);
    }

    void turn() throws Exception {
      if (presence == null) {
        presence = run.cluster.presence(client, run.cluster.self(id), this::loads);
      }
      try {
        presence.turn();
      } catch (ServerIdTakenException _) {
        presence = null; // its process starts anew
        held.clear();
        return;
      }
      for (int shard = 0; shard < SHARDS; shard++) {
        if (isTarget(shard) && !isMine(shard)) {
          ShardClaim claim = claims.claim(new StreamId(shard));
          held.put(shard, claim);
          run.claimed.add(shard + " " + claim.epoch() + " " + id);
        }
      }
    }

    private List<ShardLoad> loads() {
      List<ShardLoad> loads = new ArrayList<>();
      held.keySet().forEach(shard -> loads.add(new ShardLoad(shard, true, 1, 1)));
      return loads;
    }

    private boolean isTarget(int shard) throws Exception {
      String path = PATHS.target(new StreamId(shard));
      Optional<Versioned> target = client.read(path);
      return target.isPresent() && ShardTarget.decode(path, target.get()).server().equals(id);
    }

    private boolean isMine(int shard) throws Exception {
      ShardClaim claim = held.get(shard);
      Optional<ShardClaims.Seen> owner = claims.owner(new StreamId(shard));
      return claim != null
          && owner.isPresent()
          && owner.get().owner().nonce() == claim.owner().nonce();
    }
  }
}
