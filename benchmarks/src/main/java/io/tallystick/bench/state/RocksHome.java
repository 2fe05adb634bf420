package io.tallystick.bench.state;

import io.tallystick.bench.figure.DiskUse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/// A RocksDB of a rival: write-ahead log on and synced with every batch, four memtables of 64 MiB,
/// all processors for flushes and compactions, no compression (random bytes have none), Bloom
/// filters, and a block cache, with index and filter blocks outside it.
final class RocksHome implements AutoCloseable {
  private static final long MEMTABLE_BYTES = 64L << 20;
  private static final int MEMTABLES = 4;
  private static final double FILTER_BITS = 10;
  private static final long SETTLING_NANOS_MAX = 600_000_000_000L;
  private static final long SETTLING_MILLIS = 50;

  static {
    RocksDB.loadLibrary();
  }

  private final Path folder;
  private final long cacheBytes;
  private final LRUCache cache;
  private final BloomFilter filter = new BloomFilter(FILTER_BITS);
  private final Options options = new Options();
  private final WriteOptions synced = new WriteOptions().setSync(true).setDisableWAL(false);
  private final RocksDB db;

  /// @param cacheBytes of the block cache
  RocksHome(Path folder, long cacheBytes) throws Exception {
    this.folder = folder;
    this.cacheBytes = cacheBytes;
    Files.createDirectories(folder);
    cache = new LRUCache(cacheBytes);
    options
        .setCreateIfMissing(true)
        .setWriteBufferSize(MEMTABLE_BYTES)
        .setMaxWriteBufferNumber(MEMTABLES)
        .setMaxBackgroundJobs(Runtime.getRuntime().availableProcessors())
        .setCompressionType(CompressionType.NO_COMPRESSION)
        .setTableFormatConfig(
            new BlockBasedTableConfig()
                .setBlockCache(cache)
                .setFilterPolicy(filter)
                .setCacheIndexAndFilterBlocks(false));
    db = RocksDB.open(options, folder.toString());
  }

  RocksDB db() {
    return db;
  }

  /// All of the batch, on the disk when this returns.
  void write(WriteBatch batch) throws Exception {
    db.write(synced, batch);
  }

  /// Waits for the flushes and compactions it has begun of itself.
  void settle() throws Exception {
    long deadline = System.nanoTime() + SETTLING_NANOS_MAX;
    while (db.getLongProperty("rocksdb.mem-table-flush-pending")
            + db.getLongProperty("rocksdb.num-running-flushes")
            + db.getLongProperty("rocksdb.compaction-pending")
            + db.getLongProperty("rocksdb.num-running-compactions")
        > 0) {
      if (System.nanoTime() > deadline) {
        throw new IOException("compactions do not end");
      }
      Thread.sleep(SETTLING_MILLIS);
    }
  }

  long cacheBytes() {
    return cacheBytes;
  }

  long bytes() throws IOException {
    return DiskUse.lengthsBelow(folder);
  }

  @Override
  public void close() {
    db.close();
    options.close();
    synced.close();
    filter.close();
    cache.close();
  }
}
