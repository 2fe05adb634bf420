package io.tallystick.audit.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.Logs;
import io.tallystick.audit.MemoryLog;
import io.tallystick.audit.export.TileExportTest;
import io.tallystick.audit.source.EntryRun;
import io.tallystick.audit.source.FolderTiles;
import io.tallystick.audit.source.LogSource.LogReader;
import io.tallystick.audit.source.TileLogSource;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the hash that a source hands on with a leaf is that leaf's, wherever runs are cut. Method:
/// the chunks of an exported log of more than two full tiles, each leaf hashed anew.
class ChunkReaderTest {
  @ParameterizedTest
  @ValueSource(longs = {0, 300})
  void aLeafComesWithItsOwnHash(long from, @TempDir Path exported) throws Exception {
    Fixtures fixtures = Logs.FIXTURES;
    ReferenceLedger ledger =
        Logs.sample().append(fixtures.batch(100, 500)).seal().append(fixtures.single(99)).seal();
    TileExportTest.export(MemoryLog.of(ledger), exported, true);
    TileLogSource source = new TileLogSource(new FolderTiles(exported), true);
    long hashed = 0;
    try (LogReader log = source.open(from, 0)) {
      ChunkReader chunks = new ChunkReader(log, from, null);
      for (boolean last = false; !last; ) {
        Chunk chunk = chunks.next();
        EntryRun run = chunk.entries();
        for (int i = 0; i < run.count(); i++) {
          assertThat(Digest.of(run.leafHashes(), i * Digest.BYTES))
              .isEqualTo(TreeHasher.leafHash(run.leaf(i)));
          hashed++;
        }
        last = chunk.last();
        chunks.recycle(run);
      }
      assertThat(hashed).isEqualTo(log.size() - from);
    }
  }
}
