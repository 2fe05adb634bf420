package io.tallystick.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.LogSource.LogReader;
import io.tallystick.journal.BodyState;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the hash that a source hands on with a leaf is that leaf's, wherever runs are cut and
/// however often they are filled again. Method: the chunks of an exported log of more than two full
/// tiles, each leaf hashed anew; a run by itself.
class EntryRunTest {
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
          assertThat(run.isHashed(i)).isTrue();
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

  @Test
  void aRunTellsWhichLeavesItsSourceHashed() {
    byte[] hash = new byte[Digest.BYTES];
    hash[0] = 7;
    EntryRun run = new EntryRun();
    for (int i = 0; i < 600; i++) {
      run.begin(0);
      if (i % 2 == 1) {
        hash[1] = (byte) i;
        run.hashed(hash, 0);
      }
      for (int field = 0; field < 5; field++) {
        run.field(0);
      }
      run.end(BodyState.NONE);
    }
    assertThat(run.isHashed(598)).isFalse();
    EntryRun next = new EntryRun();
    next.takeLast(run);
    assertThat(next.isHashed(0)).isTrue();
    assertThat(next.leafHashes()[1]).isEqualTo((byte) 599);
    assertThat(run.leafHashes()[597 * Digest.BYTES + 1]).isEqualTo((byte) 597);
    next.clear();
    next.begin(0);
    assertThat(next.isHashed(0)).isFalse();
  }
}
