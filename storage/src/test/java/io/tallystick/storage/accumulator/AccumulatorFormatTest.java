package io.tallystick.storage.accumulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.Bytes;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.reference.ReferenceTree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The worked example of `docs/formats/accumulator.md` is what the code writes, byte for byte.
class AccumulatorFormatTest {
  private static final ReferenceTree TREE = ReferenceTree.ofSize(16);
  private static final ArrayLimits ALL_FILES = new ArrayLimits(0, 1, 1);
  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private String page = "";

  @BeforeEach
  void readThePage() throws Exception {
    page = Files.readString(Path.of("..", "docs", "formats", "accumulator.md"));
  }

  @Test
  void theRowsOfTwoLeavesAreAsDocumented() throws Exception {
    save(2, ArrayLimits.DEFAULT);
    assertThat(rows()).hasSize(2).allSatisfy(this::isDocumented);
    assertThat(disk.names()).isEmpty();
  }

  @Test
  void theRowOfALevelAboveIsAsDocumented() throws Exception {
    save(16, ArrayLimits.DEFAULT);
    assertThat(rows()).hasSize(3);
    Map.Entry<Bytes, Bytes> levelFour = rows().lastEntry();
    isDocumented(levelFour.getKey(), levelFour.getValue());
    assertThat(levelFour.getValue().hex()).endsWith(TREE.root(16).hex());
  }

  @Test
  void theRowAndNameOfAFileAreAsDocumented() throws Exception {
    save(2, ALL_FILES);
    SequencedMap<Bytes, Bytes> rows = rows();
    isDocumented(rows.lastEntry().getKey(), rows.lastEntry().getValue());
    assertThat(disk.names()).hasSize(1);
    String name = disk.names().getFirst();
    assertThat(page).contains("`" + name + "`");
    assertThat(Bytes.wrap(disk.content(name)).hex())
        .isEqualTo(TREE.leafHash(0).hex() + TREE.leafHash(1).hex());
  }

  private void isDocumented(Bytes key, Bytes value) {
    String unwrapped = page.replaceAll("\\s+", "");
    assertThat(unwrapped).contains(key.hex() + "=" + value.hex());
  }

  private void save(int size, ArrayLimits limits) throws Exception {
    try (Shard shard = Shard.open(disk, meta, limits)) {
      shard.append(TREE.leafHashes(0, size));
      shard.savepoint();
    }
  }

  private SequencedMap<Bytes, Bytes> rows() throws Exception {
    SequencedMap<Bytes, Bytes> rows = new LinkedHashMap<>();
    meta.scan(Bytes.EMPTY, null, (key, value) -> rows.put(key, value) == null);
    return rows;
  }
}
