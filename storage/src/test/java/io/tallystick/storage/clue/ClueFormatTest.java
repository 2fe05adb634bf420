package io.tallystick.storage.clue;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.SequencedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The worked example of `docs/formats/clue-index.md` is what the code writes, byte for byte.
class ClueFormatTest {
  private static final Digest CLUE = Digest.fromHex("c1".repeat(32));
  private static final ArrayLimits ALL_FILES = new ArrayLimits(0, 1, 1);
  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private String page = "";

  @BeforeEach
  void readThePage() throws Exception {
    page = Files.readString(Path.of("..", "docs", "formats", "clue-index.md"));
  }

  @Test
  void theRowsAndCellsOfThreeEntriesAreAsDocumented() throws Exception {
    save(3);
    assertThat(rows()).hasSize(2).allSatisfy(this::isDocumented);
    try (DiskFile cells = disk.open(Shard.FILE)) {
      assertThat(cells.size()).isEqualTo(3 * 64);
      byte[] cell = new byte[64];
      for (int number = 0; number < 3; number++) {
        assertThat(cells.read(number * 64L, ByteBuffer.wrap(cell))).isEqualTo(64);
        assertThat(text()).contains(Bytes.copyOf(cell).hex());
      }
    }
  }

  @Test
  void theRowOfATreeNodeIsAsDocumented() throws Exception {
    save(256);
    SequencedMap<Bytes, Bytes> rows = rows();
    assertThat(rows).hasSize(3);
    isDocumented(rows.lastEntry().getKey(), rows.lastEntry().getValue());
  }

  private void save(int entries) throws Exception {
    ArrayStore arrays = new ArrayStore(disk, meta, ALL_FILES);
    ClueMemory memory = new ClueMemory(ClueMemory.DEFAULT_BYTES);
    try (Workers workers = new Workers(1, "format");
        ClueIndex index = ClueIndex.restore(arrays, meta, Shard.STRAND, memory, workers)) {
      ClueBatch clues = new ClueBatch();
      for (int i = 0; i < entries; i++) {
        byte[] leafHash =
            Digest.fromHex(String.format(Locale.ROOT, "%02x", i).repeat(32)).toArray();
        clues.add(CLUE, 10 + i, leafHash, 0, i == 2);
      }
      index.append(clues);
      MetaBatch batch = new MetaBatch();
      index.savepoint(batch);
      meta.write(batch);
    }
    arrays.close();
  }

  private SequencedMap<Bytes, Bytes> rows() throws Exception {
    SequencedMap<Bytes, Bytes> rows = new LinkedHashMap<>();
    meta.scan(
        Bytes.utf8("c"),
        null,
        (key, value) -> {
          rows.put(key, value);
          return true;
        });
    return rows;
  }

  private void isDocumented(Bytes key, Bytes value) {
    assertThat(text()).contains(key.hex() + "=" + value.hex());
  }

  private String text() {
    return page.replaceAll("\\s", "");
  }
}
