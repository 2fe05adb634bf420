package io.tallystick.storage.forest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.merkle.forest.StateLookup;
import io.tallystick.model.Bytes;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.forest.SavedList.Saved;
import io.tallystick.storage.page.SlotSizes;
import io.tallystick.testkit.forest.ForestHistory;
import io.tallystick.testkit.forest.ReferenceForest;
import io.tallystick.testkit.forest.ReferenceForestProofs;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/// The states that blocks left, and whether a forest's saved versions are they. One thread's.
final class SavedChecks {
  private final Map<Long, Known> known = new HashMap<>();

  private record Known(Object root, List<HeldEntry> present, Bytes key, StateLookup lookup) {}

  /// @param reference as the block of a height has left it
  void know(long height, ForestHistory history, ReferenceForest reference) {
    Bytes key = history.key();
    known.put(
        height,
        new Known(
            reference.root(),
            Forests.held(history.present(Bytes.EMPTY, Optional.empty())),
            key,
            ReferenceForestProofs.lookup(reference, key)));
  }

  /// Each saved version is what it was, and no slot is in use that none of them has. No block was
  /// applied since the last savepoint.
  ///
  /// @return files of closed partitions that they have
  Set<String> assertSaved(Forests forests, StateForest forest) throws Exception {
    Set<Long> slots = new HashSet<>();
    Set<String> files = new HashSet<>();
    for (Saved each : forest.savedVersions().versions()) {
      ForestVersion version = savedVersion(forest, each.height());
      assertHolds(each.height(), version.open().orElseThrow());
      for (ForestPartition partition : version.partitions()) {
        if (partition.pages() instanceof PartFile file) {
          files.add(file.name());
        } else {
          GivenUp all = new GivenUp();
          all.addAll(forests.store().slotPages(), forests.store().cache(), partition.root());
          for (long address : all.addresses()) {
            slots.add(address);
          }
        }
      }
    }
    long bytes = slots.stream().mapToLong(SlotSizes.STATE::bytesAt).sum();
    assertThat(forests.store().slots().liveBytes()).as("no slot is lost").isEqualTo(bytes);
    return files;
  }

  /// The files of the folder but for one that is being written.
  static Set<String> found(Disk disk, StateForest forest) throws Exception {
    String directory = PartFormat.directory(Forests.STRAND);
    Set<String> found = new HashSet<>();
    disk.list(directory).forEach(name -> found.add(directory + "/" + name));
    found.removeIf(forest::isBeingWritten);
    return found;
  }

  static ForestVersion savedVersion(StateForest forest, long height) throws Exception {
    return switch (forest.versionAt(height)) {
      case VersionAt.Kept(ForestVersion version) -> version;
      case VersionAt.Saved saved -> saved.version();
      case VersionAt other -> throw new AssertionError(height + ": " + other);
    };
  }

  void assertHolds(long height, ForestReader open) throws Exception {
    try (ForestReader reader = open) {
      if (height == 0) {
        return;
      }
      Known want = Objects.requireNonNull(known.get(height));
      assertThat((Object) reader.root().digest()).isEqualTo(want.root());
      assertThat(reader.page(Bytes.EMPTY, null, 10_000, Long.MAX_VALUE).entries())
          .isEqualTo(want.present());
      assertThat(reader.lookup(want.key())).isEqualTo(want.lookup());
    }
  }
}
