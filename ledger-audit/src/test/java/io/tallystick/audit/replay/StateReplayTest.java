package io.tallystick.audit.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Sha256;
import io.tallystick.journal.SealLeaf;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.testkit.Effort;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.forest.ForestHistory;
import io.tallystick.testkit.forest.ReferenceForest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the replayed state is that of the definition after every block, however often it is
/// written and read again on the way, and each precondition is judged by it. Method: random
/// histories beside {@link ReferenceForest}, small nodes and partitions, so that many passes of the
/// fold are made; a few operations by hand.
class StateReplayTest {
  private static final int BLOCKS = Effort.of(150, 2_000);
  private static final int BLOCKS_MAX = 20 * BLOCKS;
  private static final StateParams SMALL = new StateParams(4, 1, 4, 4, 1);

  @TempDir private Path folder;

  private ReplayMemory memory() {
    return new ReplayMemory(1L << 30, folder);
  }

  private static StateOp op(StateEntry entry) {
    Digest commit = entry.isPresent() ? entry.valueCommit().orElseThrow() : null;
    return new StateOp(
        entry.key(), commit, (int) entry.valueSizeBytes(), new StateOp.Condition.Always());
  }

  @Seeded(runs = 12)
  void equalsTheDefinitionAfterEveryBlock(SplittableRandom random) throws Exception {
    ForestHistory history = new ForestHistory(random);
    ReferenceForest reference = new ReferenceForest(history.params());
    // With little memory leaves lose the hashes of their entries half-way.
    long bytesMax = random.nextBoolean() ? 1L << 30 : 1L << (8 + random.nextInt(8));
    StateReplay replay = new StateReplay(history.params(), new ReplayMemory(bytesMax, folder));
    boolean forgot = false;
    try {
      // Some histories fold late.
      for (int height = 1; height <= BLOCKS || (!forgot && height <= BLOCKS_MAX); height++) {
        List<StateEntry> writes = history.block();
        reference.apply(height, writes);
        for (StateEntry entry : writes) {
          assertThat(replay.add(entry.jsn().value(), op(entry))).isEmpty();
        }
        assertThat(replay.endBlock(height)).as("block %d", height).isEqualTo(reference.root());
        if (random.nextInt(8) == 0) {
          replay = readAgain(replay, history.params());
        }
        forgot |= !reference.knowsAll();
      }
      assertThat(forgot).as("the fold dropped a partition").isTrue();
      assertFinds(replay, reference, history);
    } finally {
      replay.close();
    }
  }

  /// Most of what is written stays: a pass carries nearly all over and the next one is far off, so
  /// that it counts when exactly it begins.
  @Seeded(runs = 5)
  void equalsTheDefinitionWhereMostIsCarriedOver(SplittableRandom random) throws Exception {
    StateParams params = new StateParams(8 + random.nextInt(8), 1, 4, 5, 1);
    ReferenceForest reference = new ReferenceForest(params);
    StateReplay replay = new StateReplay(params, memory());
    int keys = 0;
    try {
      for (int height = 1;
          height <= 2 * BLOCKS || (reference.knowsAll() && height <= BLOCKS_MAX);
          height++) {
        List<StateEntry> writes = new ArrayList<>();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
          int key = random.nextInt(3) > 0 ? Math.max(0, keys - 1 - random.nextInt(6)) : keys++;
          Bytes name = Bytes.utf8(String.format(Locale.ROOT, "%08x", key * 0x9e3779b1));
          writes.add(
              random.nextInt(30) == 0
                  ? StateEntry.tombstone(name, new Jsn(height))
                  : StateEntry.put(name, commit("v" + height), i, new Jsn(height)));
        }
        reference.apply(height, writes);
        for (StateEntry entry : writes) {
          replay.add(height, op(entry));
        }
        assertThat(replay.endBlock(height)).as("block %d", height).isEqualTo(reference.root());
        if (random.nextInt(20) == 0) {
          replay = readAgain(replay, params);
        }
      }
      assertThat(reference.knowsAll()).isFalse();
    } finally {
      replay.close();
    }
  }

  private StateReplay readAgain(StateReplay replay, StateParams params) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    replay.writeTo(out);
    Digest root = replay.endBlock(0);
    replay.close();
    StateReplay again = new StateReplay(params, memory());
    assertThat(again.readFrom(new ByteArrayInputStream(out.toByteArray()))).isEqualTo(root);
    return again;
  }

  /// A precondition holds exactly for what the definition has.
  private static void assertFinds(
      StateReplay replay, ReferenceForest reference, ForestHistory history) throws Exception {
    for (int i = 0; i < 300; i++) {
      Bytes key = history.key();
      Optional<StateEntry> newest = reference.newest(key);
      boolean present = newest.map(StateEntry::isPresent).orElse(false);
      long jsn = newest.map(entry -> entry.jsn().value()).orElse(0L);
      Digest commit = present ? newest.get().valueCommit().orElseThrow() : Digest.ZERO;
      assertThat(holds(replay, key, new StateOp.Condition.Absent())).isEqualTo(!present);
      assertThat(holds(replay, key, new StateOp.Condition.Version(jsn))).isEqualTo(present);
      assertThat(holds(replay, key, new StateOp.Condition.Version(jsn + 1_000_000))).isFalse();
      assertThat(holds(replay, key, new StateOp.Condition.Commit(commit))).isEqualTo(present);
      assertThat(holds(replay, key, new StateOp.Condition.Commit(Digest.ZERO))).isFalse();
    }
  }

  private static boolean holds(StateReplay replay, Bytes key, StateOp.Condition condition)
      throws IOException {
    return replay.judge(new StateOp(key, null, 0, condition)).isEmpty();
  }

  private static StateOp put(String key, String value, StateOp.Condition condition) {
    return new StateOp(Bytes.utf8(key), commit(value), value.length(), condition);
  }

  private static Digest commit(String value) {
    return Sha256.hash(Bytes.utf8(value).toArray());
  }

  private static StateOp delete(String key, StateOp.Condition condition) {
    return new StateOp(Bytes.utf8(key), null, 0, condition);
  }

  @Test
  void judgesAnOperationByTheOnesBeforeItInItsBlockToo() throws Exception {
    try (StateReplay replay = new StateReplay(SMALL, memory())) {
      assertThat(replay.endBlock(0)).isEqualTo(SealLeaf.EMPTY_STATE_ROOT);
      StateOp.Condition absent = new StateOp.Condition.Absent();
      assertThat(replay.add(2, put("a", "x", absent))).isEmpty();
      assertThat(replay.add(3, put("a", "y", absent)))
          .hasValue("wants no value, journal 2 put value " + commit("x"));
      assertThat(replay.add(4, delete("a", new StateOp.Condition.Version(2))))
          .hasValue("wants the value of journal 2, journal 3 put value " + commit("y"));
      assertThat(replay.add(5, put("a", "z", absent))).as("a tombstone").isEmpty();
      assertThat(replay.add(6, put("b", "z", new StateOp.Condition.Commit(commit("z")))))
          .hasValue("wants value " + commit("z") + ", there is no entry");
      assertThat(replay.add(7, delete("b", new StateOp.Condition.Commit(commit("z"))))).isEmpty();
      assertThat(replay.add(8, put("b", "w", new StateOp.Condition.Commit(commit("z")))))
          .hasValue("wants value " + commit("z") + ", journal 7 deleted it");
      replay.endBlock(1);
      assertThat(replay.add(10, put("a", "v", new StateOp.Condition.Version(5)))).isEmpty();
    }
  }

  @Test
  void aBlockWithoutOperationsChangesNothing() throws Exception {
    try (StateReplay replay = new StateReplay(SMALL, memory())) {
      replay.add(2, put("a", "x", new StateOp.Condition.Always()));
      Digest root = replay.endBlock(1);
      assertThat(replay.endBlock(2)).isEqualTo(root);
      assertThatThrownBy(() -> replay.readFrom(new ByteArrayInputStream(new byte[0])))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void keepsClosedPartitionsInAFileAndSaysWhatItHolds() throws Exception {
    StateParams params = new StateParams(2_000, 1, 40, 32, 1);
    try (StateReplay replay = new StateReplay(params, memory())) {
      List<Long> bytes = new ArrayList<>();
      for (int block = 1; block <= 60; block++) {
        for (int i = 0; i < 100; i++) {
          replay.add(block, put("key " + block + " " + i, "x", new StateOp.Condition.Always()));
        }
        replay.endBlock(block);
        bytes.add(replay.bytes());
      }
      assertThat(replay.spilledBytes()).isGreaterThan(3 * 2_000 * 45);
      assertThat(bytes.get(18)).as("open").isGreaterThan(1_900 * 45);
      assertThat(bytes.get(59)).as("three closed").isLessThan(3 * 2_000 * 4);
    }
  }

  /// As much memory as the default leaves to a full partition, in the same proportion.
  @Test
  void aFullPartitionWithLongKeysFits() throws Exception {
    int entries = 1 << 15;
    long bytesMax = (256L << 20) / ((1 << 21) / entries);
    StateParams params = new StateParams(2L * entries, 1, 40, 32, 1);
    SplittableRandom random = new SplittableRandom(5);
    try (StateReplay replay = new StateReplay(params, new ReplayMemory(bytesMax, folder))) {
      for (int block = 1; block <= 16; block++) {
        for (int i = 0; i < entries / 16; i++) {
          byte[] key = new byte[64];
          random.nextBytes(key);
          replay.add(
              block,
              new StateOp(Bytes.wrap(key), commit("x"), 100, new StateOp.Condition.Always()));
        }
        replay.endBlock(block);
        assertThat(replay.bytes()).as("block %d", block).isLessThan(bytesMax);
      }
    }
  }
}
