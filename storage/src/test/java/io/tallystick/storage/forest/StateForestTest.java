package io.tallystick.storage.forest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cbor.CborWriter;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateLookup;
import io.tallystick.merkle.forest.StateLookups;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.forest.ForestHistory;
import io.tallystick.testkit.forest.ReferenceForest;
import io.tallystick.testkit.forest.ReferenceForestProofs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;

/// Goal: the engine has the roots, answers and proofs of the definition, for the newest version and
/// for older ones, also after it was saved and restored. Method: random histories applied to both.
final class StateForestTest {
  private static final int BLOCKS = 120;

  private final Workers workers = new Workers(2, "forest");
  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();

  @AfterEach
  void endWorkers() {
    workers.close();
  }

  /// What a version must answer for one key.
  private record Answer(
      long height, Digest root, Bytes key, Optional<HeldEntry> entry, StateLookup lookup) {}

  @Seeded(runs = 5, longRuns = 20)
  void isWhatTheDefinitionSays(SplittableRandom random) throws Exception {
    ForestHistory history = new ForestHistory(random);
    ReferenceForest reference = new ReferenceForest(history.params());
    Forests forests = Forests.open(disk, meta, workers, Forests.SMALL);
    StateForest engine = forests.forest(history.params());
    List<Answer> answers = new ArrayList<>();
    for (long height = 1; height <= BLOCKS; height++) {
      List<StateEntry> writes = history.block();
      reference.apply(height, writes);
      ForestVersion version = engine.apply(height, Forests.held(writes));
      assertThat(version.root().digest())
          .as("root of block %d", height)
          .isEqualTo(reference.root());
      if (random.nextInt(5) == 0) {
        forests.savepoint(engine);
      }
      if (random.nextInt(15) == 0) {
        forests.savepoint(engine);
        forests.close();
        forests = Forests.open(disk, meta, workers, Forests.SMALL);
        engine = forests.forest(history.params());
        assertThat(engine.version().root()).isEqualTo(version.root());
        answers.clear();
      }
      answers.add(checkAnswers(height, engine.version(), reference, history, random));
      checkOlder(engine, answers.get(random.nextInt(answers.size())));
    }
    forests.close();
  }

  private static Answer checkAnswers(
      long height,
      ForestVersion version,
      ReferenceForest reference,
      ForestHistory history,
      SplittableRandom random)
      throws Exception {
    Bytes key = history.key();
    Optional<HeldEntry> held = reference.newest(key).map(Forests::held);
    StateLookup lookup = ReferenceForestProofs.lookup(reference, key);
    try (ForestReader reader = version.open().orElseThrow()) {
      assertThat(reader.find(key)).isEqualTo(held);
      assertThat(reader.proven(key)).isEqualTo(new ForestReader.Proven(held, lookup));
      ForestReader.Page page =
          reader.page(key, null, 1 + random.nextInt(20), 1 + random.nextInt(4000));
      assertThat(page.entries()).isEqualTo(Forests.held(history.present(key, page.end())));
      assertThat(reader.range(key, page.end().orElse(null)))
          .isEqualTo(ReferenceForestProofs.range(reference, key, page.end()));
      checkSeveral(reader, reference, history, 2 + random.nextInt(12));
      Bytes to = history.key();
      if (key.compareTo(to) < 0) {
        assertThat(reader.page(key, to, 1000, Long.MAX_VALUE).entries())
            .isEqualTo(Forests.held(history.present(key, Optional.of(to))));
      }
    }
    return new Answer(height, version.root().digest(), key, held, lookup);
  }

  private static void checkSeveral(
      ForestReader reader, ReferenceForest reference, ForestHistory history, int count)
      throws Exception {
    TreeSet<Bytes> sorted = new TreeSet<>();
    while (sorted.size() < count) {
      sorted.add(history.key());
    }
    List<Bytes> keys = List.copyOf(sorted);
    Map<Bytes, HeldEntry> held = new HashMap<>();
    for (Bytes each : keys) {
      reference.newest(each).ifPresent(entry -> held.put(each, Forests.held(entry)));
    }
    StateLookups lookups = ReferenceForestProofs.lookups(reference, keys);
    ForestReader.SeveralProven proven = reader.several(keys, Long.MAX_VALUE).orElseThrow();
    assertThat(proven).isEqualTo(new ForestReader.SeveralProven(held, lookups));
    CborWriter out = new CborWriter();
    lookups.encodeInto(out);
    int bytes = out.toBytes().size();
    assertThat(reader.several(keys, 2L * bytes)).contains(proven);
    assertThat(reader.several(keys, bytes / 2).isEmpty())
        .as("%d bytes do not fit into half of that", bytes)
        .isEqualTo(!lookups.parts().isEmpty());
  }

  /// Either what it was, or pruned, and then no older one is there.
  private static void checkOlder(StateForest engine, Answer answer) throws Exception {
    switch (engine.versionAt(answer.height())) {
      case VersionAt.Kept(ForestVersion version) -> {
        assertThat(version.root().digest()).isEqualTo(answer.root());
        Optional<ForestReader> opened = version.open();
        if (opened.isPresent()) {
          try (ForestReader reader = opened.get()) {
            assertThat(reader.find(answer.key())).isEqualTo(answer.entry());
            assertThat(reader.lookup(answer.key())).isEqualTo(answer.lookup());
          }
        } else {
          assertThat(version).isNotSameAs(engine.version());
        }
      }
      case VersionAt.Saved saved ->
          assertThat(saved.version().height()).isLessThanOrEqualTo(answer.height());
      case VersionAt.Changed _ -> throw new AssertionError("nothing took its place");
      case VersionAt.Pruned(long oldest) -> {
        assertThat(oldest).isGreaterThan(answer.height());
        assertThat(engine.versionAt(oldest)).isNotInstanceOf(VersionAt.Pruned.class);
      }
    }
  }
}
