package io.tallystick.bench.clue;

import io.tallystick.model.Digest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.DataBlockIndexType;
import org.rocksdb.FlushOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/// RocksDB as a clue index: key clueId ‖ jsn, value the leaf hash. As LedgerDB section 8.2 tuned
/// it: no write-ahead log, no sync; beside that batches of 1,000, four memtables of 64 MiB, both
/// cores for flushes and compactions, no compression (hashes have none), a Bloom filter and an
/// index over the clue as prefix, a block cache as large as the memory of the clue index, index and
/// filter blocks outside it, and one iterator for all look-ups.
final class RocksRival implements ClueStore {
  private static final int KEY_BYTES = Digest.BYTES + Long.BYTES;
  private static final int BATCH = 1000;
  private static final long MEMTABLE_BYTES = 64L << 20;
  private static final int MEMTABLES = 4;
  private static final long SETTLING_NANOS_MAX = 600_000_000_000L;
  private static final long SETTLING_MILLIS = 100;
  private static final double FILTER_BITS = 10;
  private static final double MEMTABLE_FILTER_RATIO = 0.1;

  private final Path folder;
  private final LRUCache cache = new LRUCache(ClueBench.MEMORY_BYTES);
  private final BloomFilter filter = new BloomFilter(FILTER_BITS);
  private final Options options = new Options();
  private final WriteOptions unsynced = new WriteOptions().setDisableWAL(true).setSync(false);
  private final ReadOptions reading = new ReadOptions().setPrefixSameAsStart(true);
  private final RocksDB db;
  private final byte[] key = new byte[KEY_BYTES];
  private final byte[] value = new byte[Digest.BYTES];
  private final ByteBuffer sought = ByteBuffer.allocateDirect(KEY_BYTES);
  private final ByteBuffer found = ByteBuffer.allocateDirect(KEY_BYTES);
  private final ByteBuffer hash = ByteBuffer.allocateDirect(Digest.BYTES);
  private RocksIterator iterator;

  RocksRival(Path folder) throws Exception {
    this.folder = folder;
    Files.createDirectories(folder);
    options
        .setCreateIfMissing(true)
        .setWriteBufferSize(MEMTABLE_BYTES)
        .setMaxWriteBufferNumber(MEMTABLES)
        .setMaxBackgroundJobs(Runtime.getRuntime().availableProcessors())
        .setCompressionType(CompressionType.NO_COMPRESSION)
        .useFixedLengthPrefixExtractor(Digest.BYTES)
        .setMemtablePrefixBloomSizeRatio(MEMTABLE_FILTER_RATIO)
        .setTableFormatConfig(
            new BlockBasedTableConfig()
                .setBlockCache(cache)
                .setFilterPolicy(filter)
                .setDataBlockIndexType(DataBlockIndexType.kDataBlockBinarySearch)
                .setCacheIndexAndFilterBlocks(false));
    db = RocksDB.open(options, folder.toString());
    iterator = db.newIterator(reading);
  }

  @Override
  public void insert(ClueLoad load, int from, int to) throws Exception {
    byte[] leafHashes = load.leafHashes();
    ByteBuffer jsn = ByteBuffer.wrap(key);
    for (int first = from; first < to; first += BATCH) {
      try (WriteBatch batch = new WriteBatch()) {
        for (int i = first; i < Math.min(to, first + BATCH); i++) {
          load.clueId(i).copyInto(key, 0);
          jsn.putLong(Digest.BYTES, ClueLoad.jsn(i));
          System.arraycopy(leafHashes, load.leafHashAt(i), value, 0, Digest.BYTES);
          batch.put(key, value);
        }
        db.write(unsynced, batch);
      }
    }
  }

  @Override
  public void save() throws Exception {
    try (FlushOptions waiting = new FlushOptions().setWaitForFlush(true)) {
      db.flush(waiting);
    }
  }

  /// Waits for the compactions it has begun of itself.
  void settle() throws Exception {
    long deadline = System.nanoTime() + SETTLING_NANOS_MAX;
    while (db.getLongProperty("rocksdb.compaction-pending")
            + db.getLongProperty("rocksdb.num-running-compactions")
        > 0) {
      if (System.nanoTime() > deadline) {
        throw new IOException("compactions do not end");
      }
      Thread.sleep(SETTLING_MILLIS);
    }
    iterator.close();
    iterator = db.newIterator(reading);
  }

  /// Makes one sorted run of it all, the best there is for look-ups.
  void compact() throws Exception {
    db.compactRange();
    settle();
  }

  @Override
  public long latest(Digest clueId, long jsn) {
    clueId.copyInto(key, 0);
    sought.clear().put(key, 0, Digest.BYTES).putLong(jsn).flip();
    iterator.seekForPrev(sought);
    if (!iterator.isValid()) {
      return 0;
    }
    found.clear();
    iterator.key(found);
    if (found.getLong(0) != clueId.firstWord() || found.getLong(8) != clueId.secondWord()) {
      return 0;
    }
    hash.clear();
    iterator.value(hash);
    return found.getLong(Digest.BYTES) + Byte.toUnsignedInt(hash.get(0));
  }

  @Override
  public long diskBytes() throws Exception {
    return ClueBench.bytesBelow(folder);
  }

  @Override
  public void close() {
    iterator.close();
    db.close();
    unsynced.close();
    reading.close();
    options.close();
    filter.close();
    cache.close();
  }
}
