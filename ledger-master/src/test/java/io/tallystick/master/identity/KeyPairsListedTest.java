package io.tallystick.master.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.master.coordinated.FoundedTwin;
import io.tallystick.master.identity.KeysRefusedException.Reason;
import io.tallystick.master.presence.KeyPairKids;
import io.tallystick.master.presence.Presence;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinFaults;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: a listed key pair is held by every server that may claim.
class KeyPairsListedTest {
  private static final KeyPairKids FIRST = FoundedTwin.FIRST_KEYS;
  private static final KeyPairKids SECOND = FoundedTwin.keys(2);

  private FoundedTwin cluster;
  private KeyPairsListed listed;

  @BeforeEach
  void found() throws Exception {
    cluster = new FoundedTwin(new SplittableRandom(1), 2);
    listed = new KeyPairsListed(cluster.client(), FoundedTwin.PATHS, cluster.random);
  }

  private ClusterIdentity identity() throws Exception {
    return ClusterIdentity.read(cluster.client(), FoundedTwin.PATHS).identity();
  }

  @Test
  void listsAPairOnceEveryServerHoldsIt() throws Exception {
    requireRefused(Reason.NO_SERVER, "no server is there to hold key pair " + SECOND);
    cluster.show(cluster.client(), "a", FIRST, SECOND);
    Coordination second = cluster.client();
    cluster.show(second, "b", FIRST);
    requireRefused(Reason.NOT_HELD, "key pair " + SECOND + " is not held by [b]");
    assertThat(identity().pairs()).containsExactly(FIRST);
    cluster.twin.expire(second);
    assertThat(listed.list(SECOND)).isEqualTo(identity());
    assertThat(identity().pairs()).containsExactly(FIRST, SECOND);
    assertThat(identity().present()).isEqualTo(FIRST);
    cluster.show(cluster.client(), "b", FIRST);
    assertThat(listed.list(SECOND).pairs()).containsExactly(FIRST, SECOND);
  }

  /// Its session has ended, and it writes on: it may lack the pair, and claims nothing later.
  @Test
  void listsNoPairWhileAnOwnerIsNotThere() throws Exception {
    Coordination owner = cluster.client();
    cluster.claims(owner, "b").claim(new StreamId(1));
    cluster.show(cluster.client(), "a", FIRST, SECOND);
    requireRefused(
        Reason.NOT_HELD,
        "whether key pair "
            + SECOND
            + " is held by [b], which own shards, is not known: they are not there");
    cluster.show(owner, "b", FIRST, SECOND);
    assertThat(listed.list(SECOND).pairs()).containsExactly(FIRST, SECOND);
  }

  /// A server claims a shard and goes while the pair is being listed.
  @Seeded(runs = 30)
  void looksAgainWhenAnOwnerChanges(SplittableRandom random) throws Exception {
    cluster = new FoundedTwin(random, 2);
    cluster.show(cluster.client(), "a", FIRST, SECOND);
    AtomicInteger steps = new AtomicInteger(random.nextInt(12));
    Steps interrupt =
        what -> {
          if (steps.getAndDecrement() == 0) {
            claim();
          }
        };
    try {
      new KeyPairsListed(cluster.twin.client(interrupt), FoundedTwin.PATHS, random).list(SECOND);
      assertThat(steps.get() >= 0 || listedBeforeTheClaim).isTrue();
    } catch (KeysRefusedException e) {
      assertThat(e.servers()).containsExactly("c");
    }
  }

  private boolean listedBeforeTheClaim;

  private void claim() {
    try {
      listedBeforeTheClaim = identity().pairs().contains(SECOND);
      cluster.claims(cluster.client(), "c").claim(new StreamId(0));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private void requireRefused(Reason reason, String message) {
    assertThatThrownBy(() -> listed.list(SECOND))
        .isInstanceOfSatisfying(
            KeysRefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .hasMessage(message);
  }

  @Test
  void makesOnlyAListedPairThePresentOne() throws Exception {
    assertThatThrownBy(() -> listed.makePresent(SECOND))
        .isInstanceOfSatisfying(
            KeysRefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.NOT_LISTED));
    cluster.show(cluster.client(), "a", FIRST, SECOND);
    listed.list(SECOND);
    listed.makePresent(SECOND);
    assertThat(identity().present()).isEqualTo(SECOND);
  }

  /// A server without the pair appears at any step of the listing. If it is listed, the server sees
  /// that when it looks before a claim.
  @Seeded(runs = 60)
  void isSeenListedByAServerThatAppearsMeanwhile(SplittableRandom random) throws Exception {
    cluster = new FoundedTwin(random, 2);
    cluster.show(cluster.client(), "a", FIRST, SECOND);
    List<Boolean> lacksListed = new ArrayList<>();
    Coordination own = cluster.client();
    Presence lacking = cluster.presence(own, cluster.self("b"), List::of, FIRST);
    Steps interrupt =
        what -> {
          if (lacksListed.isEmpty() && random.nextInt(12) == 0) {
            lacksListed.add(appear(own, lacking));
          }
        };
    cluster.twin.faults(new TwinFaults(0, 100, 20, 300, 0));
    boolean told = false;
    try {
      new KeyPairsListed(cluster.twin.client(interrupt), FoundedTwin.PATHS, random).list(SECOND);
      told = true;
    } catch (KeysRefusedException | IOException _) {
      // Not listed, or not known.
    }
    cluster.twin.faults(TwinFaults.NONE);
    if (told && lacksListed.equals(List.of(false))) {
      assertThat(identity().pairs()).as("it was let through").doesNotContain(SECOND);
    }
  }

  /// Whether it sees that it lacks a listed pair, or is not shown at all.
  private static boolean appear(Coordination own, Presence lacking) {
    try {
      lacking.turn();
      return ClusterIdentity.read(own, FoundedTwin.PATHS).identity().pairs().contains(SECOND);
    } catch (IOException _) {
      return true;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
