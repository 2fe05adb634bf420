package io.tallystick.storage.clue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.clue.ClueModel.Appended;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.fault.ForwardingDisk;
import io.tallystick.testkit.fault.ForwardingFile;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// Entries that are appended together, by however many workers, make what they make one by one, to
/// the byte and in the same order; and what fails in a worker fails the index.
class ClueBatchTest {
  private static final int ENTRIES = 4000;

  /// What an index has written, and what it said when it was asked.
  private record Made(
      Bytes cells,
      List<List<MetaBatch.Change>> savepoints,
      List<List<String>> visits,
      List<Long> unsavedBytes) {}

  /// After which entries the index is saved, and after which of these it is opened anew.
  private record Plan(TreeSet<Integer> savedAt, TreeSet<Integer> openedAt) {
    static Plan random(SplittableRandom random) {
      Plan plan = new Plan(new TreeSet<>(List.of(ENTRIES)), new TreeSet<>());
      for (int at = random.nextInt(600); at < ENTRIES; at += random.nextInt(1, 1200)) {
        plan.savedAt.add(at);
        if (random.nextInt(3) == 0) {
          plan.openedAt.add(at);
        }
      }
      return plan;
    }
  }

  /// Hot and rare clues, deletions, heads that grow, trees with stored nodes.
  @Seeded(runs = 4)
  void anySplitMakesWhatOneByOneMakes(SplittableRandom random) throws Exception {
    ClueModel model = ClueModel.random(ENTRIES, 40, random);
    Plan plan = Plan.random(random);
    for (long memoryBytes : new long[] {ClueMemory.DEFAULT_BYTES, 0}) {
      Made oneByOne = make(model, plan, memoryBytes, 1, 1, random);
      for (int workers : new int[] {1, 2, 4}) {
        Made made = make(model, plan, memoryBytes, workers, 900, random);
        assertThat(made.cells()).isEqualTo(oneByOne.cells());
        assertThat(made.savepoints()).isEqualTo(oneByOne.savepoints());
        assertThat(made.visits()).isEqualTo(oneByOne.visits());
        assertThat(made.unsavedBytes()).isEqualTo(oneByOne.unsavedBytes());
      }
    }
  }

  /// Most heads are loaded, from rows or as new ones, in the middle of a batch.
  @Seeded(runs = 2)
  void anySplitMakesWhatOneByOneMakesOfManyClues(SplittableRandom random) throws Exception {
    ClueModel model = ClueModel.random(ENTRIES, 1500, random);
    Plan plan = Plan.random(random);
    Made oneByOne = make(model, plan, 0, 1, 1, random);
    assertThat(make(model, plan, 0, 4, 2000, random)).isEqualTo(oneByOne);
  }

  private static Made make(
      ClueModel model,
      Plan plan,
      long memoryBytes,
      int workers,
      int batchMax,
      SplittableRandom random)
      throws Exception {
    InMemoryDisk disk = new InMemoryDisk();
    InMemoryMetaStore meta = new InMemoryMetaStore();
    Made made = new Made(Bytes.EMPTY, new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    Shard shard = Shard.open(disk, meta, new ClueMemory(memoryBytes), workers);
    int done = 0;
    for (int saved : plan.savedAt()) {
      while (done < saved) {
        int end = Math.min(saved, done + random.nextInt(1, batchMax + 1));
        shard.appendTogether(model.log().subList(done, end));
        done = end;
      }
      made.unsavedBytes().add(shard.index().unsavedBytes());
      made.visits().add(visit(shard));
      made.savepoints().add(shard.savepoint().changes());
      if (plan.openedAt().contains(saved)) {
        shard.close();
        shard = Shard.open(disk, meta, new ClueMemory(memoryBytes), workers);
      }
    }
    ClueChecks.assertIs(shard.index(), model, random);
    shard.index().saved();
    assertThat(shard.memory().unsavedBytes()).isZero();
    shard.close();
    Bytes cells = Bytes.wrap(disk.content(Shard.FILE));
    return new Made(cells, made.savepoints(), made.visits(), made.unsavedBytes());
  }

  private static List<String> visit(Shard shard) throws Exception {
    List<String> visited = new ArrayList<>();
    shard
        .index()
        .visitChanged((key, count, root, deletedJsn) ->
            visited.add(String.format(Locale.ROOT, "%s %d %s %d", key, count, root, deletedJsn)));
    return visited;
  }

  @Test
  void aClueIsDeletedAndBroughtBackInOneBatch() throws Exception {
    Digest clueId = ClueModel.clueId(1);
    try (Shard shard = Shard.open(new InMemoryDisk(), new InMemoryMetaStore())) {
      shard.appendTogether(
          List.of(
              new Appended(clueId, 5, Digest.ZERO, true),
              new Appended(clueId, 6, Digest.ZERO, false)));
      assertThat(shard.index().head(clueId).orElseThrow().deletedJsn()).isZero();
      shard.appendTogether(
          List.of(
              new Appended(clueId, 7, Digest.ZERO, false),
              new Appended(clueId, 8, Digest.ZERO, true)));
      assertThat(shard.index().head(clueId).orElseThrow().deletedJsn()).isEqualTo(8);
      assertThat(visit(shard)).hasSize(1).first().asString().endsWith(" 8");
    }
  }

  @Test
  void anEmptyBatchChangesNothing() throws Exception {
    try (Shard shard = Shard.open(new InMemoryDisk(), new InMemoryMetaStore())) {
      shard.appendTogether(List.of());
      assertThat(shard.index().cellCount()).isZero();
      assertThat(shard.savepoint().isEmpty()).isTrue();
    }
  }

  @Test
  void aBatchTakesSoManyEntriesAndNoJournalBelowOne() {
    ClueBatch batch = new ClueBatch();
    byte[] leafHash = new byte[Digest.BYTES];
    assertThatThrownBy(() -> batch.add(Digest.ZERO, 0, leafHash, 0, false))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> batch.add(Digest.ZERO, 1, leafHash, 1, false))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(batch.size()).isZero();
    for (int i = 0; i < ClueBatch.ENTRIES_MAX; i++) {
      assertThat(batch.isFull()).isFalse();
      batch.add(Digest.ZERO, 1 + i, leafHash, 0, false);
    }
    assertThat(batch.isFull()).isTrue();
    assertThatThrownBy(() -> batch.add(Digest.ZERO, 1, leafHash, 0, false))
        .isInstanceOf(IllegalStateException.class);
  }

  /// The batch fails in a worker, among hundreds of entries that it has nothing against: their
  /// clues are read as they are before the batch or with some of it, and the index is closed to
  /// appends and savepoints.
  @Test
  void aJournalOutOfOrderFailsTheIndexAndNoReader() throws Exception {
    ClueModel model = ClueModel.random(1000, 30, new SplittableRandom(6));
    List<Appended> batch = new ArrayList<>(model.log().subList(500, 1000));
    Appended bad = batch.get(250);
    batch.set(250, new Appended(bad.clueId(), 1, bad.leafHash(), false));
    InMemoryDisk disk = new InMemoryDisk();
    InMemoryMetaStore meta = new InMemoryMetaStore();
    try (Shard shard = Shard.open(disk, meta, new ClueMemory(0), 4)) {
      shard.appendTogether(model.log().subList(0, 500));
      shard.savepoint();
      assertThatThrownBy(() -> shard.appendTogether(batch))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("journal 1 after");
      assertHasFailed(shard, model.log().get(999));
      for (Map.Entry<Digest, List<Appended>> clue : model.lists().entrySet()) {
        long count = shard.index().head(clue.getKey()).map(ClueHead::count).orElse(0L);
        List<Appended> list = clue.getValue().subList(0, (int) count);
        if (!list.isEmpty()) {
          ClueChecks.assertIs(shard.index(), list, new SplittableRandom(1));
        }
      }
    }
    try (Shard shard = Shard.open(disk, meta)) {
      ClueChecks.assertIs(shard.index(), model.first(500), new SplittableRandom(2));
    }
  }

  /// The row of a clue in the midst of the batch is damaged.
  @Test
  void aDamagedHeadFailsTheIndex() throws Exception {
    ClueModel model = ClueModel.random(1000, 30, new SplittableRandom(7));
    InMemoryDisk disk = new InMemoryDisk();
    InMemoryMetaStore meta = new InMemoryMetaStore();
    Map<Bytes, Bytes> rows = new TreeMap<>();
    try (Shard shard = Shard.open(disk, meta)) {
      shard.appendTogether(model.log().subList(0, 500));
      shard
          .savepoint()
          .changes()
          .forEach(change -> rows.put(change.key(), ((MetaBatch.Change.Put) change).value()));
    }
    Digest clueId = model.log().get(750).clueId();
    Bytes key = rows.keySet().stream().filter(row -> endsWith(row, clueId)).findFirst().get();
    byte[] row = rows.getOrDefault(key, Bytes.EMPTY).toArray();
    row[20] ^= 1;
    meta.write(new MetaBatch().put(key, Bytes.wrap(row)));
    try (Shard shard = Shard.open(disk, meta)) {
      assertThatThrownBy(() -> shard.appendTogether(model.log().subList(500, 1000)))
          .isInstanceOf(CorruptStreamException.class)
          .hasMessageContaining("head of clue " + clueId);
      assertHasFailed(shard, model.log().get(999));
    }
  }

  private static boolean endsWith(Bytes key, Digest clueId) {
    return key.hex().endsWith(clueId.hex());
  }

  @Test
  void aFullDiskFailsTheIndexAndNoReader() throws Exception {
    ClueModel model = ClueModel.random(1000, 30, new SplittableRandom(8));
    InMemoryDisk disk = new InMemoryDisk();
    InMemoryMetaStore meta = new InMemoryMetaStore();
    boolean[] full = {false};
    try (Shard shard = Shard.open(new FullDisk(disk, full), meta, new ClueMemory(0), 2)) {
      shard.appendTogether(model.log().subList(0, 500));
      shard.savepoint();
      full[0] = true;
      assertThatThrownBy(() -> shard.appendTogether(model.log().subList(500, 1000)))
          .isInstanceOf(IOException.class)
          .hasMessage("disk full for test");
      assertHasFailed(shard, model.log().get(999));
      ClueChecks.assertIs(shard.index(), model, new SplittableRandom(3));
    }
    full[0] = false;
    try (Shard shard = Shard.open(disk, meta)) {
      ClueChecks.assertIs(shard.index(), model.first(500), new SplittableRandom(4));
    }
  }

  private static void assertHasFailed(Shard shard, Appended next) {
    assertThatThrownBy(() -> shard.append(next))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("clue index of");
    assertThatThrownBy(() -> shard.index().savepoint(new MetaBatch()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("clue index of");
  }

  private static final class FullDisk extends ForwardingDisk {
    private final boolean[] full;

    FullDisk(InMemoryDisk disk, boolean[] full) {
      super(disk);
      this.full = full;
    }

    @Override
    public DiskFile open(String name) throws IOException {
      return new ForwardingFile(super.open(name)) {
        @Override
        public void write(long position, ByteBuffer from) throws IOException {
          if (full[0]) {
            throw new IOException("disk full for test");
          }
          super.write(position, from);
        }
      };
    }
  }
}
