package io.tallystick.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.LedgerRemovals;
import io.tallystick.client.TallyClient;
import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.history.HistoryClients;
import io.tallystick.cluster.history.HistoryReader;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import io.tallystick.node.LogRead;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.replicated.ShardOwner;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.wire.FollowerStub;
import io.tallystick.wire.NodeStub;
import io.tallystick.wire.WireRole;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: processes on loopback lose nothing when the owner of a shard is killed or stands still, or
/// when a bookie is lost for good, under clients that ask all the while; that a follower takes
/// over, another begins with a shipped savepoint, bytes are erased, and what is done once for all
/// is done once. Safety is the simulator's to show; this shows the wiring. Method: the judge of
/// histories.
class ClusterTrialTest {
  private static final StreamId SHARD = new StreamId(0);
  private static final long TAKEOVER_SECONDS = 120;
  private static final long STEP_SECONDS = 60;
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
        roles.requireHealth();

        LedgerId erased = eraseOne(trial);
        ShardOwner first = owner(cluster);
        awaitSaid(trial, other(first.server()), "shard 0 is followed");
        awaitFollowerAnswers(trial.port(other(first.server())), erased);
        trial.kill(first.server());
        roles.requireSuspected(cluster, first.server());
        clients.awaitMore(SOME, TAKEOVER_SECONDS);
        ShardOwner second = owner(cluster);
        assertThat(second.epoch()).isGreaterThan(first.epoch());
        assertThat(second.server()).isEqualTo(other(first.server()));
        assertThat(trial.hasSaid(second.server(), ", by its follower")).isTrue();

        delete(trial.folder(first.server()));
        trial.startServer(number(first.server()));
        trial.awaitReady(first.server(), "Server ");
        awaitSaid(trial, first.server(), "shard 0 is followed");
        assertThat(trial.hasSaid(first.server(), "a shipped savepoint was fetched")).isTrue();
        HistoryReader before = clients.grantAReader();
        HistoryReader after = clients.grantAReader();
        before.revoke();
        trial.pause(second.server());
        clients.awaitMore(SOME, TAKEOVER_SECONDS);
        ShardOwner third = owner(cluster);
        assertThat(third.server()).isEqualTo(first.server());
        after.revoke(); // which the one that stands still does not hear
        trial.resume(second.server());
        clients.awaitMore(SOME, TAKEOVER_SECONDS);
        await("both are turned away", () -> before.isTurnedAway() && after.isTurnedAway());

        trial.kill("bookie-3");
        clients.awaitMore(SOME, TAKEOVER_SECONDS);
        trial.kill(third.server());
        clients.awaitMore(SOME, TAKEOVER_SECONDS);
        assertThat(owner(cluster).epoch()).isGreaterThan(third.epoch());
        clients.awaitEach(TAKEOVER_SECONDS);
        before.close();
        after.close();
        clients.stop();
        assertThat(clients.faults()).isEmpty();
        roles.rebuildRegistry();
      }
    }
  }

  /// Waits until it is gone, also from the bookies: a shipped savepoint holds the occult then.
  private LedgerId eraseOne(ClusterTrial trial) throws Exception {
    ClientKey owner = ClientKey.generate();
    ClientConfig config =
        ClientConfig.of(String.join(",", trial.proxies()), folder.resolve("trust-of-one"))
            .withReader(owner);
    try (TallyClient client = TallyClient.connect(config)) {
      return eraseOne(client, owner);
    }
  }

  private static LedgerId eraseOne(TallyClient client, ClientKey owner) throws Exception {
    LedgerHandle ledger = client.createLedger("erased", List.of(owner), LedgerOptions.DEFAULT);
    ClientKey regulator = ClientKey.generate();
    ledger.addMember(Role.REGULATOR, regulator.publicKey());
    LedgerHandle both = client.open(ledger.id(), owner, regulator);
    Jsn jsn = both.append(JournalDraft.text("secret")).jsn();
    both.occult(LedgerRemovals.naming(List.of(both.get(jsn))), "a court");
    await("the body is erased", () -> both.erasure(jsn).orElseThrow().doneMs().isPresent());
    return ledger.id();
  }

  /// Proxies ask it, too: what clients were told in this test is judged.
  private static void awaitFollowerAnswers(int port, LedgerId ledger) throws Exception {
    NodeStub.Target target =
        new NodeStub.Target(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
            Optional.empty(),
            WireRole.PROXY);
    LogRead.BlockAt genesis = new LogRead.BlockAt(new StrandId(ledger, 0), 0);
    try (FollowerStub follower = FollowerStub.of(target)) {
      await(
          "the follower answers",
          () -> {
            try {
              return follower.shard(SHARD.shard()).ask(genesis, -1).firstJsn() == 0;
            } catch (RequestRejectedException e) {
              return false;
            }
          });
    }
  }

  private static void awaitSaid(ClusterTrial trial, String name, String text) throws Exception {
    await(name + " says: " + text, () -> trial.hasSaid(name, text));
  }

  private static void await(String what, Callable<Boolean> done) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(STEP_SECONDS);
    while (!done.call()) {
      assertThat(System.nanoTime() - end).as(what).isNegative();
      Thread.sleep(100);
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  private static String other(String server) {
    return server.equals("server-1") ? "server-2" : "server-1";
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
