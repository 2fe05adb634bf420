package io.tallystick.storage.meta;

import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.IndexType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.WALRecoveryMode;

/// RocksDB's settings, sized for a shard's heads and world state: at most 2 × 8 MiB of memtables
/// and a 16 MiB cache that also holds indexes and filters. These are cut into small blocks, of
/// which a read takes those it needs: whole, the index of a large file is larger than a part of
/// such a cache, is never kept, and is read and decompressed at every look.
final class RocksOptions implements AutoCloseable {
  private static final long WRITE_BUFFER_BYTES = 8L << 20;
  private static final long CACHE_BYTES = 16L << 20;
  private static final int CACHE_SHARD_BITS = 2;
  private static final double CACHE_RATIO_OF_INDEXES = 0.5;
  private static final double FILTER_BITS_PER_KEY = 10;
  private static final int OPEN_FILES_MAX = 128;
  private static final int BACKGROUND_JOBS_MAX = 2;
  private static final int LOG_FILES_MAX = 2;

  private final LRUCache cache =
      new LRUCache(CACHE_BYTES, CACHE_SHARD_BITS, false, CACHE_RATIO_OF_INDEXES);
  private final BloomFilter filter = new BloomFilter(FILTER_BITS_PER_KEY);
  private final Options options = new Options();

  RocksOptions() {
    BlockBasedTableConfig table =
        new BlockBasedTableConfig()
            .setBlockCache(cache)
            .setFilterPolicy(filter)
            .setCacheIndexAndFilterBlocks(true)
            .setIndexType(IndexType.kTwoLevelIndexSearch)
            .setPartitionFilters(true);
    options
        .setCreateIfMissing(true)
        .setParanoidChecks(true)
        // Every batch is synced, so only the very last record of the log may be torn: anything
        // else is damage to acknowledged rows and must refuse to open.
        .setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords)
        .setWriteBufferSize(WRITE_BUFFER_BYTES)
        .setMaxWriteBufferNumber(2)
        .setCompressionType(CompressionType.LZ4_COMPRESSION)
        .setMaxOpenFiles(OPEN_FILES_MAX)
        .setMaxBackgroundJobs(BACKGROUND_JOBS_MAX)
        .setKeepLogFileNum(LOG_FILES_MAX)
        .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
        .setStatsDumpPeriodSec(0)
        .setTableFormatConfig(table);
  }

  Options options() {
    return options;
  }

  @Override
  public void close() {
    options.close();
    filter.close();
    cache.close();
  }
}
