package io.tallystick.storage.forest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.forest.ForestHistory;
import io.tallystick.testkit.forest.ReferenceForest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Goal: a state that is loaded from an image is the one that was written, and goes on as it would
/// have; a changed image is refused. Method: random histories, an image in the middle of each.
final class ForestImageTest {
  private static final String NAME = "images/one";
  private static final int BLOCKS = 60;
  private static final int IMAGE_AT = 41;

  private final Workers workers = new Workers(1, "image");
  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();

  @AfterEach
  void endWorkers() {
    workers.close();
  }

  private static void image(ForestVersion version, InMemoryDisk disk) throws Exception {
    try (ForestReader _ = version.open().orElseThrow()) {
      version.writeImage(disk, NAME, Forests.STRAND, IMAGE_AT + 5);
    }
  }

  @Test
  void goesOnFromAnImage() throws Exception {
    for (int seed = 0; seed < 6; seed++) {
      InMemoryDisk files = new InMemoryDisk();
      InMemoryMetaStore rows = new InMemoryMetaStore();
      ForestHistory history = new ForestHistory(new SplittableRandom(seed));
      ReferenceForest whole = new ReferenceForest(history.params());
      try (Forests forests = Forests.open(files, rows, workers, Forests.SMALL)) {
        StateForest forest = forests.forest(history.params());
        List<List<StateEntry>> behind = new ArrayList<>();
        for (int height = 1; height <= BLOCKS; height++) {
          List<StateEntry> block = history.block();
          whole.apply(height, block);
          forest.apply(height, Forests.held(block));
          if (height > IMAGE_AT) {
            behind.add(block);
          }
          if (height == IMAGE_AT) {
            image(forest.version(), files);
          }
          if (height % 5 == 0) {
            forests.savepoint(forest);
          }
        }
        StateForest loaded = forests.store().startOver(Forests.STRAND, history.params());
        assertThat(loaded.load(files, NAME)).isEqualTo(IMAGE_AT + 5);
        for (int i = 0; i < behind.size(); i++) {
          loaded.apply(IMAGE_AT + 1 + i, Forests.held(behind.get(i)));
        }
        assertThat(loaded.version().root().digest()).isEqualTo(whole.root());
        forests.store().publish(loaded, forest.version().root().digest());
        forests.savepoint(loaded);
      }
      try (Forests forests = Forests.open(files, rows, workers, Forests.SMALL)) {
        ForestVersion version = forests.forest(history.params()).version();
        assertThat(version.root().digest()).isEqualTo(whole.root());
        try (ForestReader reader = version.open().orElseThrow()) {
          assertThat(reader.page(Bytes.EMPTY, null, 10_000, Long.MAX_VALUE).entries())
              .isEqualTo(Forests.held(history.present(Bytes.EMPTY, Optional.empty())));
        }
      }
    }
  }

  @Test
  void refusesEveryChangedImage() throws Exception {
    ForestHistory history = new ForestHistory(new SplittableRandom(8));
    try (Forests forests = Forests.open(disk, meta, workers, Forests.SMALL)) {
      StateForest forest = forests.forest(history.params());
      for (int height = 1; height <= 12; height++) {
        forest.apply(height, Forests.held(history.block()));
      }
      image(forest.version(), disk);
      assertRefused(forests, history, "another strand", 1);
      try (DiskFile file = disk.open(NAME)) {
        for (long at = 0; at < file.size(); at++) {
          flip(file, at);
          assertRefused(forests, history, "byte " + at, 0);
          flip(file, at);
        }
        forests.store().startOver(Forests.STRAND, history.params()).load(disk, NAME);
        file.truncate(file.size() - 1);
      }
      assertRefused(forests, history, "cut", 0);
      disk.delete(NAME);
      assertRefused(forests, history, "missing", 0);
    }
  }

  private void assertRefused(Forests forests, ForestHistory history, String what, int strand)
      throws Exception {
    StateForest empty = forests.store().startOver(Forests.strand(strand), history.params());
    assertThatThrownBy(() -> empty.load(disk, NAME))
        .as(what)
        .isInstanceOf(CorruptStreamException.class);
  }

  private static void flip(DiskFile file, long at) throws Exception {
    ByteBuffer one = ByteBuffer.allocate(1);
    assertThat(file.read(at, one)).isEqualTo(1);
    file.write(at, ByteBuffer.wrap(new byte[] {(byte) (one.get(0) ^ 1)}));
  }
}
