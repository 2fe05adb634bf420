package io.tallystick.master.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.master.coordinated.FoundedTwin;
import io.tallystick.master.identity.ClaimRefusedException.Check;
import io.tallystick.master.identity.Claimant.Remembered;
import io.tallystick.master.presence.KeyPairKids;
import io.tallystick.storage.replicated.ShardOwner;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Goal: each check refuses what it is for, with one line that says why, and nothing else.
class ClaimChecksTest {
  private static final long NOW = 1_800_000_000_000L;
  private static final KeyPairKids FIRST = FoundedTwin.FIRST_KEYS;
  private static final ShardOwner OWNER = new ShardOwner(7, "a", "a:7", 3, 0);
  private static final ClusterIdentity IDENTITY =
      new ClusterIdentity(
          FoundedTwin.terms(4).authority(),
          4,
          FoundedTwin.terms(4).formats(),
          List.of(FIRST, FoundedTwin.keys(2)),
          FIRST,
          0);
  private static final Claimant GOOD =
      new Claimant(
          Set.of(FIRST, FoundedTwin.keys(2)),
          Map.of("frame", 2, "savepoint", 6),
          3,
          clocks(NOW, NOW, NOW, NOW),
          Optional.of(new Remembered(7, 100)),
          3,
          4);

  private static ClockReadings clocks(long own, long shared, Long... servers) {
    return new ClockReadings(own, shared, List.of(servers));
  }

  private static void requireRefused(Claimant self, Check check, String message) {
    assertThatThrownBy(() -> ClaimChecks.beforeClaim(2, IDENTITY, OWNER, self))
        .isInstanceOfSatisfying(
            ClaimRefusedException.class, e -> assertThat(e.check()).isEqualTo(check))
        .hasMessage("shard 2 is not claimed: " + message);
  }

  @Test
  void letsAGoodServerClaim() {
    assertThatCode(() -> ClaimChecks.beforeClaim(2, IDENTITY, OWNER, GOOD))
        .doesNotThrowAnyException();
    assertThatCode(() -> ClaimChecks.beforeServing(2, new Remembered(7, 100), 100))
        .doesNotThrowAnyException();
  }

  @Test
  void refusesAServerWithoutAListedKeyPair() {
    requireRefused(
        new Claimant(Set.of(FIRST), GOOD.formats(), 3, GOOD.clocks(), GOOD.remembered(), 3, 4),
        Check.KEYS,
        "this server lacks key pairs [" + FoundedTwin.keys(2) + "]");
  }

  @Test
  void refusesSoftwareThatDoesNotKnowAFormat() {
    requireRefused(
        new Claimant(
            GOOD.pairs(),
            Map.of("frame", 1, "savepoint", 5),
            3,
            GOOD.clocks(),
            GOOD.remembered(),
            3,
            4),
        Check.FORMATS,
        "the cluster writes frame in format 2, this software knows 1");
    requireRefused(
        new Claimant(GOOD.pairs(), Map.of("frame", 2), 3, GOOD.clocks(), GOOD.remembered(), 3, 4),
        Check.FORMATS,
        "the cluster writes savepoint in format 5, this software knows 0");
  }

  @Test
  void refusesSoftwareOlderThanTheStates() {
    requireRefused(
        new Claimant(GOOD.pairs(), GOOD.formats(), 2, GOOD.clocks(), GOOD.remembered(), 3, 4),
        Check.STATE_FORMAT,
        "its states have format 3, this software knows 2");
  }

  @Test
  void refusesAClockFarFromTheMedian() throws Exception {
    requireRefused(
        with(clocks(NOW + 10_001, NOW, NOW, NOW - 60_000)),
        Check.CLOCK,
        "this server's clock is 10001 ms ahead of the others', at most 10000");
    requireRefused(
        with(clocks(NOW - 10_001, NOW)),
        Check.CLOCK,
        "this server's clock is 10001 ms behind the others', at most 10000");
    ClaimChecks.beforeClaim(2, IDENTITY, OWNER, with(clocks(NOW + 10_000, NOW, NOW, NOW)));
    ClaimChecks.ofServer(IDENTITY, with(clocks(NOW, NOW + 60_000, NOW, NOW + 1000)));
    ClaimChecks.ofServer(IDENTITY, with(clocks(NOW, NOW, NOW + 60_000)));
  }

  @Test
  void judgesAServerBeforeItIsAboutAShard() {
    Claimant full =
        new Claimant(
            GOOD.pairs(),
            GOOD.formats(),
            0,
            GOOD.clocks(),
            Optional.of(new Remembered(8, 0)),
            GOOD.share(),
            GOOD.share());
    assertThatCode(() -> ClaimChecks.ofServer(IDENTITY, full))
        .as("what is of one shard")
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> ClaimChecks.ofServer(IDENTITY, with(clocks(NOW + 10_001, NOW))))
        .isInstanceOfSatisfying(
            ClaimRefusedException.class, e -> assertThat(e.check()).isEqualTo(Check.CLOCK))
        .hasMessageStartingWith("no shard is claimed: this server's clock is 10001 ms ahead");
  }

  private static Claimant with(ClockReadings clocks) {
    return new Claimant(
        GOOD.pairs(), GOOD.formats(), 3, clocks, GOOD.remembered(), GOOD.shards(), GOOD.share());
  }

  @Test
  void refusesAServerThatRemembersMoreThanTheClusterHas() throws Exception {
    requireRefused(
        new Claimant(
            GOOD.pairs(),
            GOOD.formats(),
            3,
            GOOD.clocks(),
            Optional.of(new Remembered(8, 0)),
            3,
            4),
        Check.OWN_RECORD,
        "this server saw epoch 8, the cluster is in epoch 7: it was put back");
    assertThatThrownBy(() -> ClaimChecks.beforeServing(2, new Remembered(7, 101), 100))
        .isInstanceOf(ClaimRefusedException.class)
        .hasMessage(
            "shard 2 is not claimed: this server saw frame 101 confirmed, the stream ends with"
                + " frame 100");
    ClaimChecks.beforeClaim(
        2,
        IDENTITY,
        OWNER,
        new Claimant(GOOD.pairs(), GOOD.formats(), 3, GOOD.clocks(), Optional.empty(), 3, 4));
  }

  @Test
  void refusesAServerWhoseMemoryIsFull() {
    requireRefused(
        new Claimant(GOOD.pairs(), GOOD.formats(), 3, GOOD.clocks(), GOOD.remembered(), 4, 4),
        Check.SHARE,
        "this server writes 4 shards, its memory has room for 4");
  }
}
