package io.tallystick.storage.forest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Bytes;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.forest.ForestHistory;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// Goal: a state written as files answers with the proofs of the state that was written, and no
/// damage passes. Method: random histories with so little memory that most lies in slots; a bit
/// changed at each place of each file.
final class StateFilesTest {
  private static final int BLOCKS = 30;
  private static final ForestLimits TINY =
      new ForestLimits(2_000, 500, 0, 0, Long.MAX_VALUE, VersionLimits.NONE);

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryDisk made = new InMemoryDisk();
  private final TreeSet<Bytes> keys = new TreeSet<>();

  private ScratchForest filled(ForestHistory history) throws Exception {
    ScratchForest scratch =
        ScratchForest.open(
            disk, "scratch.", "", Forests.STRAND, history.params(), BatchHasher.cpu(), TINY);
    for (int height = 1; height <= BLOCKS; height++) {
      List<HeldEntry> block = Forests.held(history.block());
      block.forEach(held -> keys.add(held.key()));
      scratch.apply(height, block);
    }
    keys.add(history.key());
    return scratch;
  }

  @Test
  void answersAsTheStateThatWasWritten() throws Exception {
    for (int seed = 0; seed < 3; seed++) {
      keys.clear();
      made.names().forEach(made::delete);
      try (ScratchForest scratch = filled(new ForestHistory(new SplittableRandom(seed)))) {
        Bytes row = scratch.writeFiles(made);
        assertThat(made.names()).hasSize(scratch.partitionCount());
        try (StateFiles files = StateFiles.open(made, Forests.STRAND, row);
            ForestReader want = scratch.reader();
            ForestReader read = files.reader()) {
          assertThat(files.root()).isEqualTo(scratch.root());
          for (Bytes key : keys) {
            assertThat(read.proven(key)).isEqualTo(want.proven(key));
          }
          List<Bytes> some = keys.stream().limit(20).toList();
          assertThat(read.several(some, 1 << 20)).isEqualTo(want.several(some, 1 << 20));
          assertThat(read.page(Bytes.EMPTY, null, 1000, 1 << 20))
              .isEqualTo(want.page(Bytes.EMPTY, null, 1000, 1 << 20));
          assertThat(read.range(Bytes.EMPTY, null)).isEqualTo(want.range(Bytes.EMPTY, null));
        }
      }
      assertThat(disk.names()).isEmpty();
    }
  }

  private void readAll(Bytes row) throws Exception {
    try (StateFiles files = StateFiles.open(made, Forests.STRAND, row);
        ForestReader read = files.reader()) {
      for (Bytes key : keys) {
        var _ = read.proven(key);
      }
      var _ = read.range(Bytes.EMPTY, null);
    }
  }

  @Test
  void eachChangedBitIsFound() throws Exception {
    Bytes row;
    try (ScratchForest scratch = filled(new ForestHistory(new SplittableRandom(1)))) {
      row = scratch.writeFiles(made);
    }
    readAll(row);
    for (String name : made.names()) {
      for (int at = 0; at < made.size(name); at += 151) {
        made.flipBit(name, at, at % 8);
        assertThatThrownBy(() -> readAll(row))
            .as("%s at %d", name, at)
            .isInstanceOf(CorruptStreamException.class);
        made.flipBit(name, at, at % 8);
      }
    }
    made.delete(made.names().getFirst());
    assertThatThrownBy(() -> readAll(row)).hasMessageContaining("is missing");
    byte[] other = row.toArray();
    other[5] ^= 1;
    assertThatThrownBy(() -> readAll(Bytes.wrap(other))).hasMessageContaining("row cannot be read");
  }
}
