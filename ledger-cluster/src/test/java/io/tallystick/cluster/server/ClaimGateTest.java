package io.tallystick.cluster.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Sha256;
import io.tallystick.master.identity.ClaimRefusedException;
import io.tallystick.master.identity.ClaimRefusedException.Check;
import io.tallystick.master.identity.Claimant.Remembered;
import io.tallystick.master.identity.ClusterFounding;
import io.tallystick.master.identity.KeyPairsListed;
import io.tallystick.master.presence.KeyPairKids;
import io.tallystick.master.presence.Presence;
import io.tallystick.model.Authority;
import io.tallystick.storage.replicated.ClusterPaths;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinCoordination;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a server that must not write a shard does not claim it and says why, and one that must not
/// write any is found out while it writes. Method: a twin of ZooKeeper, whose clock is the test's.
class ClaimGateTest {
  private static final ClusterPaths PATHS = new ClusterPaths("one");
  private static final KeyPairKids FIRST = keys(1);
  private static final KeyPairKids SECOND = keys(2);
  private static final StreamId SHARD = new StreamId(2);
  private static final int SHARE = 3;

  @TempDir private Path folder;

  private final RandomGenerator random = new SplittableRandom(1);
  private final TwinCoordination twin = new TwinCoordination(random);
  private long nowMs = 1_800_000_000_000L;
  private Coordination client;
  private ShardClaims claims;
  private ServerClock clock;
  private ClaimGate gate;
  private OwnRecord record;
  private List<KeyPairKids> pairs = List.of(FIRST);
  private long aheadMs;
  private long tookMs;

  @BeforeEach
  void found() throws Exception {
    client = twin.client(Steps.NONE);
    SortedMap<String, Integer> formats = new TreeMap<>(Map.of("frame", 2, "savepoint", 5));
    new ClusterFounding(client, PATHS, random)
        .init(new ClusterFounding.Terms(new Authority("ledger.example"), 4, formats, FIRST));
    claims = new ShardClaims(client, PATHS, new ShardClaims.Server("a", "a:7", 1), random);
    clock =
        new ServerClock(
            () -> Instant.ofEpochMilli(nowMs + aheadMs),
            () -> {
              long now = nowMs;
              nowMs += tookMs;
              return now + tookMs / 2;
            },
            this::nanos);
    gate =
        new ClaimGate(
            client,
            PATHS,
            claims,
            new ClaimGate.Self("a", () -> pairs, Map.of("frame", 2, "savepoint", 5), 1, SHARE),
            clock);
    record = OwnRecord.open(folder, SHARD.shard());
  }

  private static KeyPairKids keys(int number) {
    return new KeyPairKids(
        Sha256.hash(new byte[] {(byte) number}), Sha256.hash(new byte[] {(byte) -number}));
  }

  private long nanos() {
    return TimeUnit.MILLISECONDS.toNanos(nowMs);
  }

  private void pass(Duration time) {
    nowMs += time.toMillis();
  }

  /// Shows another server.
  private void show(String id, long ahead, KeyPairKids... held) throws Exception {
    new Presence(
            twin.client(Steps.NONE),
            PATHS,
            new Presence.Self(id, id + ":7", Duration.ofSeconds(1)),
            () -> new Presence.Now(ahead, 4, List.of(held), List.of()),
            this::nanos,
            random)
        .turn();
  }

  private RememberingOwnership ownership(int others) {
    return new RememberingOwnership(claims, SHARD, "a", gate, record, () -> others);
  }

  private void requireRefused(int others, Check check) {
    assertThatThrownBy(() -> ownership(others).next(SHARD))
        .isInstanceOf(NotClaimedException.class)
        .hasMessageStartingWith("shard 2 is not claimed: ")
        .cause()
        .isInstanceOfSatisfying(
            ClaimRefusedException.class, e -> assertThat(e.check()).isEqualTo(check));
  }

  private String owner() throws Exception {
    return claims.owner(SHARD).orElseThrow().owner().server();
  }

  @Test
  void aGoodServerClaimsAndWritesDownWhatItSaw() throws Exception {
    assertThat(gate.turn()).isTrue();
    RememberingOwnership ownership = ownership(SHARE - 1);
    long epoch = ownership.next(SHARD);
    assertThat(owner()).isEqualTo("a");
    ownership.checkEnd(-1);
    ownership.confirmed(12);
    record.flush();
    record = OwnRecord.open(folder, SHARD.shard());
    assertThat(record.remembered()).contains(new Remembered(epoch, 12));
    RememberingOwnership again = ownership(0);
    assertThat(again.next(SHARD)).isGreaterThan(epoch);
    again.checkEnd(12);
    assertThatThrownBy(() -> again.checkEnd(11))
        .isInstanceOf(NotClaimedException.class)
        .hasMessage(
            "shard 2 is not claimed: this server saw frame 12 confirmed, the stream ends with"
                + " frame 11");
  }

  @Test
  void aServerThatRemembersAHigherEpochDoesNotClaim() throws Exception {
    gate.turn();
    record.claimed(1_000);
    requireRefused(0, Check.OWN_RECORD);
    assertThat(owner()).isEmpty();
  }

  @Test
  void aServerThatIsFullDoesNotClaim() throws Exception {
    gate.turn();
    requireRefused(SHARE, Check.SHARE);
    assertThat(owner()).isEmpty();
  }

  @Test
  void aPairThatIsListedMeanwhileStopsWhoLacksIt() throws Exception {
    show("b", 0, FIRST, SECOND);
    assertThat(gate.turn()).isTrue();
    new KeyPairsListed(twin.client(Steps.NONE), PATHS, random).list(SECOND);
    requireRefused(0, Check.KEYS);
    assertThat(gate.turn()).isFalse();
    assertThat(gate.isFit()).isFalse();
    pairs = List.of(FIRST, SECOND);
    assertThat(gate.turn()).isTrue();
    assertThat(gate.isFit()).isTrue();
  }

  @Test
  void aClockThatGoesWrongIsFoundWithinAMinute() throws Exception {
    assertThat(gate.turn()).isTrue();
    aheadMs = 10_001;
    pass(Duration.ofSeconds(59));
    assertThat(gate.turn()).as("not looked at yet").isTrue();
    pass(Duration.ofSeconds(1));
    assertThat(gate.turn()).isFalse();
    requireRefused(0, Check.CLOCK);
    assertThat(owner()).isEmpty();
    aheadMs = 9_999;
    pass(Duration.ofMinutes(1));
    assertThat(gate.turn()).isTrue();
  }

  @Test
  void twoOtherServersOutvoteZooKeeper() throws Exception {
    aheadMs = -20_000;
    for (String other : List.of("b", "c")) {
      show(other, -19_000, FIRST);
    }
    assertThat(gate.turn()).isTrue();
    assertThat(clock.aheadMs()).isEqualTo(-20_000);
  }

  @Test
  void aSlowAnswerSaysNothingOfAClock() throws Exception {
    tookMs = 2_001;
    assertThatThrownBy(() -> gate.turn()).isInstanceOf(IOException.class);
    tookMs = 1_000;
    assertThat(gate.turn()).isTrue();
    assertThat(clock.aheadMs()).as("half of the way").isBetween(-1L, 1L);
    tookMs = 30_000;
    pass(Duration.ofMinutes(1));
    assertThat(gate.turn()).as("as it was").isTrue();
  }
}
