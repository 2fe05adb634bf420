package io.tallystick.storage.clue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.merkle.patricia.TrieProof;
import io.tallystick.model.Digest;
import io.tallystick.storage.clue.ClueModel.Appended;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// The index answers what plain lists and RFC 9162's recursion answer, for every way journals may
/// come, be saved and be pushed out of memory.
class ClueIndexTest {
  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();

  @Seeded(runs = 2, longRuns = 5)
  void answersAsListsDo(SplittableRandom random) throws Exception {
    ClueModel model = ClueModel.random(3000, 40, random);
    try (Shard shard = filled(model, ClueMemory.DEFAULT_BYTES, random)) {
      ClueChecks.assertIs(shard.index(), model, random);
    }
  }

  /// With no room at all every head that a savepoint holds is pushed out by the next one.
  @Seeded(runs = 2, longRuns = 5)
  void answersAsListsDoWithNoRoomForHeads(SplittableRandom random) throws Exception {
    ClueModel model = ClueModel.random(3000, 40, random);
    try (Shard shard = filled(model, 0, random)) {
      ClueChecks.assertIs(shard.index(), model, random);
    }
  }

  /// Trees large enough for stored nodes of two levels.
  @Test
  void hasTheRootsOfLargeTrees() throws Exception {
    SplittableRandom random = new SplittableRandom(7);
    ClueModel model = ClueModel.random((1 << 17) + 4321, 2, random);
    try (Shard shard = filled(model, 0, random)) {
      for (List<Appended> list : model.lists().values()) {
        for (int run = 0; run < 20; run++) {
          ClueChecks.assertProof(shard.index(), list, ClueModel.tree(list), random);
        }
      }
    }
  }

  @Test
  void hasTheRootOfEverySize() throws Exception {
    SplittableRandom random = new SplittableRandom(8);
    ClueModel model = ClueModel.random(600, 1, random);
    List<Appended> list = model.lists().values().iterator().next();
    try (Shard shard = filled(model, ClueMemory.DEFAULT_BYTES, random)) {
      for (int size = 1; size <= 600; size++) {
        assertThat(shard.index().root(list.getFirst().clueId(), size))
            .isEqualTo(ClueModel.tree(list).root(size));
      }
    }
  }

  /// What a batch holds is not in the meta store before it is written.
  @Test
  void isReadWhileABatchWaits() throws Exception {
    SplittableRandom random = new SplittableRandom(9);
    ClueModel model = ClueModel.random(3000, 3, random);
    try (Shard shard = Shard.open(disk, meta, new ClueMemory(0))) {
      shard.append(model, 0, 3000);
      shard.index().visitChanged((_, _, _, _) -> {});
      MetaBatch batch = new MetaBatch();
      shard.index().savepoint(batch);
      ClueChecks.assertIs(shard.index(), model, random);
      meta.write(batch);
      ClueChecks.assertIs(shard.index(), model, random);
      shard.index().saved();
      ClueChecks.assertIs(shard.index(), model, random);
    }
  }

  @Seeded(runs = 2, longRuns = 5)
  void visitsWhatChangedOnce(SplittableRandom random) throws Exception {
    ClueModel model = ClueModel.random(2000, 30, random);
    ClueMemory memory = new ClueMemory(0);
    try (Shard shard = Shard.open(disk, meta, memory)) {
      int done = 0;
      while (done < model.log().size()) {
        int end = Math.min(model.log().size(), done + random.nextInt(1, 60));
        shard.append(model, done, end);
        Set<Digest> changed = new HashSet<>();
        model.log().subList(done, end).forEach(appended -> changed.add(appended.clueId()));
        assertVisited(shard.index(), model.first(end), changed);
        done = end;
        if (random.nextInt(3) == 0) {
          shard.savepoint();
        }
      }
      assertVisited(shard.index(), model, Set.of());
    }
  }

  private static void assertVisited(ClueIndex index, ClueModel model, Set<Digest> changed)
      throws Exception {
    Map<Digest, Digest> byKey = new HashMap<>();
    changed.forEach(clueId -> byKey.put(TrieProof.key(clueId), clueId));
    index.visitChanged((key, count, root, deletedJsn) -> {
      assertThat(byKey).containsKey(key);
      Digest clueId = Objects.requireNonNull(byKey.remove(key));
      List<Appended> list = model.list(clueId);
      assertThat(count).isEqualTo(list.size());
      assertThat(root).isEqualTo(ClueModel.tree(list).root(list.size()));
      assertThat(deletedJsn).isEqualTo(ClueModel.deletedJsn(list));
    });
    assertThat(byKey).isEmpty();
  }

  @Test
  void aLaterJournalBringsADeletedClueBack() throws Exception {
    Digest clueId = ClueModel.clueId(1);
    try (Shard shard = Shard.open(disk, meta)) {
      shard.append(new Appended(clueId, 5, Digest.ZERO, false));
      shard.append(new Appended(clueId, 6, Digest.ZERO, true));
      assertThat(shard.index().head(clueId).orElseThrow().deletedJsn()).isEqualTo(6);
      shard.append(new Appended(clueId, 9, Digest.ZERO, false));
      assertThat(shard.index().head(clueId).orElseThrow().deletedJsn()).isZero();
      assertThat(shard.index().head(clueId).orElseThrow().count()).isEqualTo(3);
    }
  }

  @Test
  void readsPages() throws Exception {
    SplittableRandom random = new SplittableRandom(3);
    ClueModel model = ClueModel.random(500, 1, random);
    List<Appended> list = model.lists().values().iterator().next();
    Digest clueId = list.getFirst().clueId();
    try (Shard shard = filled(model, ClueMemory.DEFAULT_BYTES, random)) {
      List<ClueEntry> forwards = new ArrayList<>();
      for (int first = 0; first < 500; first += 100) {
        forwards.addAll(shard.index().entries(clueId, first, 100));
      }
      assertThat(forwards).isEqualTo(shard.index().entries(clueId, 0, 500));
      assertThat(shard.index().entries(clueId, 500, 0)).isEmpty();
    }
  }

  @Test
  void refusesEntriesThatAreNotThere() throws Exception {
    Digest clueId = ClueModel.clueId(1);
    try (Shard shard = Shard.open(disk, meta)) {
      shard.append(new Appended(clueId, 5, Digest.ZERO, false));
      ClueIndex index = shard.index();
      assertThatThrownBy(() -> index.entry(clueId, 1))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> index.entries(clueId, 0, 2))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> index.root(clueId, 2)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> index.proof(clueId, 0, 1, 2))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> index.entry(ClueModel.clueId(2), 0))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void refusesJournalsOutOfOrder() throws Exception {
    Digest clueId = ClueModel.clueId(1);
    try (Shard shard = Shard.open(disk, meta)) {
      shard.append(new Appended(clueId, 5, Digest.ZERO, false));
      assertThatThrownBy(() -> shard.append(new Appended(clueId, 5, Digest.ZERO, false)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> shard.append(new Appended(clueId, 6, Digest.ZERO, false)))
          .as("after a failure")
          .isInstanceOf(IllegalStateException.class);
    }
  }

  /// An index filled in random steps with savepoints; now and then it is closed and opened after
  /// one, and has lost what came after it.
  private Shard filled(ClueModel model, long memoryBytes, SplittableRandom random)
      throws Exception {
    Shard shard = Shard.open(disk, meta, new ClueMemory(memoryBytes));
    int done = 0;
    while (done < model.log().size()) {
      int end = Math.min(model.log().size(), done + random.nextInt(1 << random.nextInt(1, 13)));
      shard.append(model, done, end);
      done = end;
      if (random.nextInt(3) == 0) {
        shard.savepoint();
        if (random.nextInt(3) == 0) {
          shard.append(model, done, Math.min(model.log().size(), done + 50));
          shard.close();
          shard = Shard.open(disk, meta, new ClueMemory(memoryBytes));
        }
      }
    }
    return shard;
  }
}
