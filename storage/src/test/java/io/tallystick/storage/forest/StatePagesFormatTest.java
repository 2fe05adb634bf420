package io.tallystick.storage.forest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.Sha256;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.storage.stream.Location;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The worked example of `docs/formats/state-pages.md` is what the code writes, byte for byte.
final class StatePagesFormatTest {
  private static final StateParams PARAMS = StateParams.of(5, 4, 4);

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Workers workers = new Workers(1, "format");
  private String page = "";

  @BeforeEach
  void makeTheExample() throws Exception {
    page = Files.readString(Path.of("..", "docs", "formats", "state-pages.md"));
    try (Forests forests = Forests.open(disk, meta, workers, Forests.ALL_IN_SLOTS)) {
      StateForest forest = forests.forest(PARAMS);
      List<HeldEntry> block = new ArrayList<>();
      for (String key : List.of("apple", "apricot", "banana", "cherry")) {
        StateEntry entry =
            StateEntry.put(Bytes.utf8(key), Sha256.hash(Bytes.utf8(key).toArray()), 5, new Jsn(7));
        block.add(new HeldEntry(entry, new Location(300, 40)));
      }
      block.add(new HeldEntry(StateEntry.tombstone(Bytes.utf8("date"), new Jsn(7)), null));
      forest.apply(3, block);
      forest.limit(new OwnLimits(OptionalInt.of(10), OptionalLong.empty()));
      forests.savepoint(forest);
      forests.savepoint(); // carries out what was asked for
    }
  }

  @AfterEach
  void endWorkers() {
    workers.close();
  }

  /// The hex digits of the page's code blocks, without what is said about them.
  private String documented() {
    StringBuilder hex = new StringBuilder();
    boolean code = false;
    for (String line : page.lines().toList()) {
      if (line.startsWith("```")) {
        code = line.startsWith("```hex");
        hex.append('|');
      } else if (code) {
        hex.append(line.replaceAll("#.*|\\s", ""));
      }
    }
    return hex.toString();
  }

  @Test
  void theSlotsAreAsDocumented() throws Exception {
    byte[] slots = disk.content("forest/2048.slots");
    assertThat(slots).hasSize(3 * 2048);
    for (int slot = 0; slot < 3; slot++) {
      String hex = Bytes.copyOf(slots, 2048 * slot, 2048).hex().replaceAll("(00)+$", "");
      assertThat(documented()).as("slot %d", slot).contains(hex);
    }
  }

  @Test
  void theRowIsAsDocumented() throws Exception {
    Bytes key = ForestHead.key(Forests.STRAND);
    assertThat(documented()).contains(key.hex());
    assertThat(documented()).contains(Objects.requireNonNull(meta.get(key)).hex());
  }

  @Test
  void theRowsOfSavedVersionsAreAsDocumented() {
    for (Bytes key :
        List.of(
            SavedKeys.list(Forests.STRAND),
            SavedKeys.taken(Forests.STRAND, 3),
            SavedKeys.limits(Forests.STRAND))) {
      String row = Objects.requireNonNull(meta.get(key)).hex();
      assertThat(documented()).contains("|" + key.hex() + row + "|");
    }
    assertThat(meta.get(SavedKeys.version(Forests.STRAND, 3))).isNull();
    assertThat(meta.get(SavedKeys.givenUp(Forests.STRAND, 3))).isNull();
  }
}
