package io.tallystick.bench.state;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;

/// RocksDB alone: keys and values, one synced batch for each of ours, nothing that is proven.
final class RocksContender implements StateContender {
  private final RocksHome home;

  /// @param memoryBytes of its block cache
  RocksContender(Path folder, long memoryBytes) throws Exception {
    home = new RocksHome(folder, memoryBytes);
  }

  @Override
  public Optional<Digest> putBatch(List<Put> puts) throws Exception {
    try (WriteBatch batch = new WriteBatch()) {
      for (Put put : puts) {
        batch.put(put.key().unsafeArray(), put.value().unsafeArray());
      }
      home.write(batch);
    }
    return Optional.empty();
  }

  @Override
  public Optional<Bytes> get(Bytes key) throws Exception {
    return Optional.ofNullable(home.db().get(key.unsafeArray())).map(Bytes::wrap);
  }

  @Override
  public List<Found> range(Bytes from, int limit) {
    List<Found> found = new ArrayList<>();
    try (RocksIterator rows = home.db().newIterator()) {
      rows.seek(from.unsafeArray());
      while (found.size() < limit && rows.isValid()) {
        found.add(new Found(Bytes.wrap(rows.key()), Bytes.wrap(rows.value())));
        rows.next();
      }
    }
    return found;
  }

  @Override
  public Optional<Bytes> proof(Bytes key) {
    return Optional.empty();
  }

  @Override
  public long spaceBytes() throws IOException {
    return home.bytes();
  }

  @Override
  public double cacheOfIndex() throws IOException {
    return (double) home.cacheBytes() / home.bytes();
  }

  @Override
  public void settle() throws Exception {
    home.settle();
  }

  @Override
  public void close() {
    home.close();
  }
}
