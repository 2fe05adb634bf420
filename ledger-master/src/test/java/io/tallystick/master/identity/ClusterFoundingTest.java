package io.tallystick.master.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.master.coordinated.FoundedTwin;
import io.tallystick.master.identity.OtherClusterException.Field;
import io.tallystick.master.registry.ClusterRegistry;
import io.tallystick.master.registry.RegistryUnavailableException;
import io.tallystick.model.Authority;
import io.tallystick.model.LedgerId;
import io.tallystick.storage.replicated.ClusterPaths;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.Coordination.Change;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinCoordination;
import io.tallystick.testkit.cluster.TwinFaults;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Goal: a cluster is founded once, by one of those that try, whatever is lost on the way.
class ClusterFoundingTest {
  private static final ClusterPaths PATHS = FoundedTwin.PATHS;

  private final SplittableRandom random = new SplittableRandom(1);
  private final TwinCoordination twin = new TwinCoordination(random);
  private final Coordination client = twin.client(Steps.NONE);

  private ClusterFounding founding() {
    return new ClusterFounding(twin.client(Steps.NONE), PATHS, random);
  }

  @Test
  void makesIdentityShardsAndAnEmptyRegistry() throws Exception {
    ClusterIdentity founded = founding().init(FoundedTwin.terms(16));
    assertThat(ClusterIdentity.read(client, PATHS).identity()).isEqualTo(founded);
    assertThat(founded.present()).isEqualTo(FoundedTwin.FIRST_KEYS);
    assertThat(founded.formats()).containsExactly(Map.entry("frame", 2), Map.entry("savepoint", 5));
    assertThat(client.children(PATHS.shards())).hasSize(16);
    assertThat(client.children(PATHS.ledgers())).hasSize(256);
  }

  @Test
  void isNoErrorWithTheSameValuesAndNamesTheFieldThatDiffers() throws Exception {
    ClusterIdentity founded = founding().init(FoundedTwin.terms(4));
    assertThat(founding().init(FoundedTwin.terms(4))).isEqualTo(founded);
    ClusterFounding.Terms same = FoundedTwin.terms(4);
    requireRefused(
        new ClusterFounding.Terms(
            new Authority("other.example"), 4, same.formats(), same.keys()),
        Field.AUTHORITY,
        "cluster one is founded with authority ledger.example, not other.example");
    requireRefused(
        FoundedTwin.terms(5), Field.SHARDS, "cluster one is founded with shards 4, not 5");
    requireRefused(
        new ClusterFounding.Terms(
            same.authority(), 4, new TreeMap<>(Map.of("frame", 3)), same.keys()),
        Field.FORMATS,
        "cluster one is founded with formats {frame=2, savepoint=5}, not {frame=3}");
    requireRefused(
        new ClusterFounding.Terms(
            same.authority(), 4, same.formats(), FoundedTwin.keys(9)),
        Field.KEYS,
        null);
    assertThat(client.children(PATHS.shards())).hasSize(4);
  }

  private void requireRefused(
      ClusterFounding.Terms terms, Field field, @org.jspecify.annotations.Nullable String message) {
    assertThatThrownBy(() -> founding().init(terms))
        .isInstanceOfSatisfying(
            OtherClusterException.class,
            e -> {
              assertThat(e.field()).isEqualTo(field);
              if (message != null) {
                assertThat(e).hasMessage(message);
              }
            });
  }

  /// A ledger could be founded twice if the registry came back empty.
  @Test
  void doesNotMakeALostRegistryAgain() throws Exception {
    founding().init(FoundedTwin.terms(2));
    for (String first : client.children(PATHS.ledgers())) {
      client.commit(
          List.of(new Change.Delete(PATHS.ledgers() + "/" + first, Change.ANY)));
    }
    client.commit(List.of(new Change.Delete(PATHS.ledgers(), Change.ANY)));
    founding().init(FoundedTwin.terms(2));
    assertThatThrownBy(
            () ->
                new ClusterRegistry(client, PATHS, random)
                    .find(new LedgerId(FoundedTwin.digest(1))))
        .isInstanceOf(RegistryUnavailableException.class);
  }

  @Test
  void growsAndNeverShrinks() throws Exception {
    founding().init(FoundedTwin.terms(4));
    assertThat(founding().growTo(6).shards()).isEqualTo(6);
    assertThat(founding().growTo(5).shards()).isEqualTo(6);
    assertThat(client.children(PATHS.shards())).hasSize(6);
  }

  @Test
  void refusesAClusterThatIsNotFoundedAndAFormatOfTheFuture() throws Exception {
    assertThatThrownBy(() -> ClusterIdentity.read(client, PATHS))
        .isInstanceOf(NoClusterException.class)
        .hasMessage("there is no cluster one; tally cluster init founds one");
    founding().init(FoundedTwin.terms(2));
    byte[] value = client.read(PATHS.identity()).orElseThrow().value().toArray();
    value[1]++;
    client.commit(
        List.of(
            new Change.Put(
                PATHS.identity(), io.tallystick.model.Bytes.wrap(value), Change.ANY)));
    assertThatThrownBy(() -> ClusterIdentity.read(client, PATHS))
        .hasMessage("/ts/one/identity at 0: format 2 is unknown; this software reads 1");
  }

  /// Two found the cluster with different values, at any step of each other.
  @Seeded(runs = 60)
  void hasOneWinnerOfARace(SplittableRandom seeded) throws Exception {
    TwinCoordination raced = new TwinCoordination(seeded);
    List<Runnable> others = new ArrayList<>();
    Steps interrupt =
        what -> {
          if (!others.isEmpty() && seeded.nextInt(4) == 0) {
            others.removeLast().run();
          }
        };
    List<Integer> won = new ArrayList<>();
    for (int shards = 2; shards < 5; shards++) {
      ClusterFounding.Terms terms = FoundedTwin.terms(shards);
      ClusterFounding each = new ClusterFounding(raced.client(interrupt), PATHS, seeded);
      others.add(
          () -> {
            try {
              won.add(each.init(terms).shards());
            } catch (OtherClusterException | IOException _) {
              // It has lost, or does not know.
            } catch (Exception e) {
              throw new AssertionError(e);
            }
          });
    }
    raced.faults(new TwinFaults(0, 100, 20, 100, 0));
    while (!others.isEmpty()) {
      others.removeLast().run();
    }
    raced.faults(TwinFaults.NONE);
    assertThat(won).hasSizeLessThan(2);
    if (!won.isEmpty()) {
      Coordination reader = raced.client(Steps.NONE);
      assertThat(ClusterIdentity.read(reader, PATHS).identity().shards())
          .isEqualTo(won.getFirst());
      assertThat(reader.children(PATHS.shards())).hasSize(won.getFirst());
    }
  }
}
