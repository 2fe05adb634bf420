package io.tallystick.storage.forest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.Sha256;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.Location;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.forest.ForestHistory;
import io.tallystick.testkit.forest.ReferenceForest;
import io.tallystick.testkit.forest.ReferenceForestProofs;
import java.util.List;
import java.util.SplittableRandom;

/// Goal: the engine has the roots, answers and proofs of the definition, also after it was saved
/// and restored. Method: random histories applied to both.
class StateForestTest {
  private static final int BLOCKS = 120;
  private static final StrandId STRAND = new StrandId(new LedgerId(Sha256.hash(new byte[] {1})), 0);

  @Seeded(runs = 5, longRuns = 20)
  void isWhatTheDefinitionSays(SplittableRandom random) throws Exception {
    ForestHistory history = new ForestHistory(random);
    ReferenceForest reference = new ReferenceForest(history.params());
    InMemoryMetaStore meta = new InMemoryMetaStore();
    ForestRows rows = new ForestRows(meta, STRAND);
    StateForest engine = rows.restore(history.params());
    for (long height = 1; height <= BLOCKS; height++) {
      List<StateEntry> writes = history.block();
      reference.apply(height, writes);
      List<HeldEntry> held = writes.stream().map(StateForestTest::held).toList();
      ForestVersion version = engine.apply(height, held);
      assertThat(version.root().digest())
          .as("root of block %d", height)
          .isEqualTo(reference.root());
      if (random.nextInt(5) == 0) {
        MetaBatch batch = new MetaBatch();
        rows.savepoint(engine, batch);
        meta.write(batch);
        rows = new ForestRows(meta, STRAND);
        engine = rows.restore(history.params());
        assertThat(engine.version().root()).isEqualTo(version.root());
      }
      checkAnswers(engine.version(), reference, history, random);
    }
  }

  private static HeldEntry held(StateEntry entry) {
    return new HeldEntry(entry, entry.isPresent() ? new Location(entry.jsn().value(), 7) : null);
  }

  private static void checkAnswers(
      ForestVersion version,
      ReferenceForest reference,
      ForestHistory history,
      SplittableRandom random) {
    Bytes key = history.key();
    assertThat(version.find(key)).isEqualTo(reference.newest(key).map(StateForestTest::held));
    assertThat(version.lookup(key)).isEqualTo(ReferenceForestProofs.lookup(reference, key));
    ForestVersion.Page page =
        version.page(key, null, 1 + random.nextInt(20), 1 + random.nextInt(4000));
    assertThat(page.entries())
        .isEqualTo(history.present(key, page.end()).stream().map(StateForestTest::held).toList());
    assertThat(version.range(key, page.end().orElse(null)))
        .isEqualTo(ReferenceForestProofs.range(reference, key, page.end()));
  }
}
