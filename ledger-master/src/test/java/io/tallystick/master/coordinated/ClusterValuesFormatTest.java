package io.tallystick.master.coordinated;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.master.placement.PlacementWishes;
import io.tallystick.master.presence.ShardLoad;
import io.tallystick.master.registry.ClusterRegistry;
import io.tallystick.model.LedgerId;
import io.tallystick.storage.replicated.ClusterPaths;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.stream.StreamId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: values are written as `docs/formats/replicated.md` shows them. Method: a cluster whose
/// nonces are all the same.
class ClusterValuesFormatTest {
  private static final Path PAGE = Path.of("../docs/formats/replicated.md");
  private static final ClusterPaths PATHS = FoundedTwin.PATHS;

  @Test
  void areWhatThePageShows() throws Exception {
    FoundedTwin cluster = new FoundedTwin(() -> 0x0123456789abcdefL, 4);
    Coordination client = cluster.client();
    cluster
        .presence(client, cluster.self("b"), () -> List.of(new ShardLoad(3, true, 2560, 10)))
        .turn();
    LedgerId ledger = new LedgerId(FoundedTwin.digest(7));
    new ClusterRegistry(client, PATHS, cluster.random)
        .found(cluster.claims(client, "b").claim(new StreamId(3)), ledger);
    new PlacementWishes(client, PATHS, () -> cluster.nowMs, cluster.random).want(3, "b");
    assertThat(Files.readString(PAGE))
        .contains(
            cluster.valueAt(PATHS.server("b")).hex()
                + "\n"
                + cluster.valueAt(PATHS.wanted(new StreamId(3))).hex()
                + "\n"
                + cluster.valueAt(PATHS.ledger(ledger)).hex()
                + "\n");
  }
}
