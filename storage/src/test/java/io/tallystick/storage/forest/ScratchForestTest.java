package io.tallystick.storage.forest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.forest.ForestHistory;
import io.tallystick.testkit.forest.ReferenceForest;
import io.tallystick.testkit.forest.SnapshotStateFile;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: a state made beside the shard's own has the same image, and an auditor's file that hashes
/// to the same root; nothing of it is left. Method: random histories, with so little memory that
/// most of the state lies in files, from the beginning and from an image.
final class ScratchForestTest {
  private static final int BLOCKS = 60;
  private static final ForestLimits TINY =
      new ForestLimits(2_000, 500, 0, 0, Long.MAX_VALUE, VersionLimits.NONE);

  private final InMemoryDisk disk = new InMemoryDisk();

  private ScratchForest scratch(ForestHistory history) throws Exception {
    return ScratchForest.open(
        disk, "made/a.", ".new", Forests.STRAND, history.params(), BatchHasher.cpu(), TINY);
  }

  /// A state of the shard after the last block.
  ///
  /// @param image that it takes
  private static Fold whole(
      ForestHistory history, List<List<StateEntry>> blocks, InMemoryDisk image) throws Exception {
    try (Workers workers = new Workers(1, "image");
        Forests forests =
            Forests.open(image, new InMemoryMetaStore(), workers, Forests.ALL_IN_SLOTS)) {
      StateForest forest = forests.forest(history.params());
      for (int i = 0; i < blocks.size(); i++) {
        forest.apply(i + 1, Forests.held(blocks.get(i)));
      }
      forest.version().writeImage(image, "image", Forests.STRAND, blocks.size());
      return forest.version().fold();
    }
  }

  /// Where the last pass ended is forgotten.
  private static Fold withoutPass(Fold fold) {
    return new Fold(
        false, SnapshotStateFile.NONE, fold.position(), fold.carried(), fold.carriedBefore());
  }

  private static Fold fold(SnapshotStateFile file) {
    boolean runs = file.passEnd() != SnapshotStateFile.NONE;
    return new Fold(runs, file.passEnd(), file.position(), file.carried(), file.carriedBefore());
  }

  @Test
  void isTheStateOfTheSameBlocks() throws Exception {
    int passes = 0;
    for (int seed = 0; seed < 6; seed++) {
      ForestHistory history = new ForestHistory(new SplittableRandom(seed));
      ReferenceForest whole = new ReferenceForest(history.params());
      List<List<StateEntry>> blocks = new ArrayList<>();
      int next = 0;
      for (int end : new int[] {BLOCKS / 3, BLOCKS}) {
        try (ScratchForest scratch = scratch(history)) {
          if (next > 0) {
            assertThat(scratch.load("image " + next)).isEqualTo(next);
          }
          while (next < end) {
            blocks.add(history.block());
            whole.apply(++next, blocks.getLast());
            scratch.apply(next, Forests.held(blocks.getLast()));
          }
          assertThat(disk.list("made")).isNotEmpty().allMatch(name -> name.endsWith(".slots.new"));
          assertThat(scratch.root().digest()).isEqualTo(whole.root());
          scratch.writeImage("image " + next, next);
          scratch.writeSnapshot("snapshot");
        }
        assertThat(disk.list("made")).isEmpty();
        InMemoryDisk other = new InMemoryDisk();
        Fold fold = whole(history, blocks, other);
        assertThat(disk.content("image " + next)).isEqualTo(other.content("image"));
        SnapshotStateFile read = SnapshotStateFile.read(disk.content("snapshot"));
        assertThat(read.root()).isEqualTo(whole.root());
        assertThat(fold(read)).isEqualTo(fold.runs() ? fold : withoutPass(fold));
        passes += fold.runs() ? 1 : 0;
        disk.delete("snapshot");
      }
      disk.names().forEach(disk::delete);
    }
    assertThat(passes).as("in the middle of a pass").isPositive();
  }
}
