package io.tallystick.storage.forest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.journal.StateParams;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.testkit.fault.ForwardingDisk;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A file of a partition that cannot be deleted stops nothing, and is deleted as soon as that can
/// be done; no other file gets its name before.
final class PartDeletionTest {
  private static final StateParams PARAMS = StateParams.of(400, 8, 8);
  private static final String DIRECTORY = PartFormat.directory(Forests.STRAND);
  private static final String FIRST = DIRECTORY + "/0-0.part";

  /// Of one block: a partition is closed by ten.
  private static final int KEYS = 40;

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Workers workers = new Workers(1, "deletions");
  private final List<HeldEntry> written = new ArrayList<>();
  private Deleting deleting = Deleting.GOES;

  /// What becomes of a deletion.
  private enum Deleting {
    GOES,
    FAILS,
    FAILS_WHEN_DONE
  }

  @AfterEach
  void endWorkers() {
    workers.close();
  }

  private Forests open() throws Exception {
    Disk on =
        new ForwardingDisk(disk) {
          @Override
          public void delete(String name) throws IOException {
            if (deleting != Deleting.FAILS) {
              super.delete(name);
            }
            if (deleting != Deleting.GOES) {
              throw new IOException("no deletion, by plan");
            }
          }
        };
    return Forests.open(on, meta, workers, Forests.SMALL);
  }

  private void grow(Forests forests, int blocks) throws Exception {
    StateForest forest = forests.forest(PARAMS);
    for (int i = 0; i < blocks; i++) {
      apply(forest);
      forests.savepoint(forest);
    }
  }

  private void apply(StateForest forest) throws Exception {
    long first = written.size();
    List<HeldEntry> puts = Forests.puts(first, KEYS, 16, 1 + first);
    forest.apply(1 + first / KEYS, puts);
    written.addAll(puts);
  }

  private void assertHoldsAll(Forests forests) throws Exception {
    try (ForestReader reader = forests.forest(PARAMS).version().open().orElseThrow()) {
      for (HeldEntry held : written) {
        assertThat(reader.find(held.key())).contains(held);
      }
    }
  }

  /// Until the fold has emptied the first partition, and no version kept has it.
  private void growUntilTheFirstGoes(Forests forests) throws Exception {
    StateForest forest = forests.forest(PARAMS);
    while (forest.version().partitions().getFirst().number() == 0) {
      grow(forests, 1);
    }
    grow(forests, Forests.SAVED.versions() + 2);
  }

  @Test
  void isTriedAgainAtTheNextSavepoint() throws Exception {
    try (Forests forests = open()) {
      grow(forests, 20);
      assertThat(disk.exists(FIRST)).isTrue();
      deleting = Deleting.FAILS;
      growUntilTheFirstGoes(forests);
      assertThat(disk.exists(FIRST)).isTrue();
      assertThat(forests.store().saved()).contains(FIRST);
      deleting = Deleting.GOES;
      assertThat(forests.store().saved()).isEmpty();
      assertThat(disk.exists(FIRST)).isFalse();
      assertHoldsAll(forests);
    }
  }

  @Test
  void isTriedAgainWhenTheStateIsOpened() throws Exception {
    try (Forests forests = open()) {
      grow(forests, 20);
      deleting = Deleting.FAILS;
      growUntilTheFirstGoes(forests);
    }
    try (Forests forests = open()) {
      assertHoldsAll(forests);
      assertThat(disk.exists(FIRST)).isTrue();
      assertThat(forests.store().saved()).contains(FIRST);
    }
    deleting = Deleting.GOES;
    try (Forests forests = open()) {
      assertHoldsAll(forests);
      assertThat(disk.exists(FIRST)).isFalse();
    }
  }

  /// A crash before the first savepoint leaves files and no row.
  @Test
  void isDoneForAStateWithoutARow() throws Exception {
    disk.open(FIRST).close();
    try (Forests forests = open()) {
      assertThat(forests.forest(PARAMS).version().partitionCount()).isZero();
      assertThat(disk.exists(FIRST)).isFalse();
    }
  }

  /// A copy that failed is deleted; the disk says it was not. The next copy must not be deleted in
  /// its place.
  @Test
  void takesNoFileThatCameLater() throws Exception {
    try (Forests forests = open()) {
      grow(forests, 10);
    }
    flipSlots();
    deleting = Deleting.FAILS_WHEN_DONE;
    try (Forests forests = open()) {
      StateForest forest = forests.forest(PARAMS);
      apply(forest);
      assertThat(forests.store().failedCopies()).hasSize(1);
      flipSlots();
      forests.savepoint(forest);
      grow(forests, 1);
      deleting = Deleting.GOES;
      grow(forests, 1);
      assertThat(disk.list(DIRECTORY)).containsExactly("0-1.part");
    }
    try (Forests forests = open()) {
      assertHoldsAll(forests);
    }
  }

  private void flipSlots() throws Exception {
    String slots = "forest/2048.slots";
    for (long at = 100; at < disk.size(slots); at += 2048) {
      disk.flipBit(slots, at, 1);
    }
  }
}
