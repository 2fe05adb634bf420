package io.tallystick.bench.state;

import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.rocksdb.WriteBatch;

/// A textbook Merkle B⁺-tree over RocksDB, with the order of our forest. Nodes and values are rows
/// by hash. Every node on a way is read from RocksDB; what is new goes into the one synced batch.
/// Replaced nodes stay, as they are other versions' too.
final class TreeContender implements StateContender {
  private static final int LEAF_MAX = 40;
  private static final int INNER_MAX = 32;
  private static final byte[] ROOT = {'r'};
  private static final byte NODE = 'n';
  private static final byte VALUE = 'v';

  private final RocksHome home;
  private final Rows rows = new Rows();
  private final MerkleTree tree = new MerkleTree(LEAF_MAX, INNER_MAX, rows);
  private volatile @Nullable Digest root;

  /// @param memoryBytes of its block cache
  TreeContender(Path folder, long memoryBytes) throws Exception {
    home = new RocksHome(folder, memoryBytes);
    byte[] saved = home.db().get(ROOT);
    root = saved == null ? null : Digest.of(saved);
  }

  /// Empty before the first batch.
  Optional<Digest> root() {
    return Optional.ofNullable(root);
  }

  @Override
  public Optional<Digest> putBatch(List<Put> puts) throws Exception {
    List<MerkleNode.Item> added = new ArrayList<>(puts.size());
    try (WriteBatch batch = new WriteBatch()) {
      for (Put put : puts) {
        Digest hash = Sha256.hash(put.value().unsafeArray());
        batch.put(row(VALUE, hash), put.value().unsafeArray());
        added.add(new MerkleNode.Item(put.key(), hash));
      }
      added.sort(Comparator.comparing(MerkleNode.Item::key));
      Digest updated = tree.update(root, added);
      rows.moveInto(batch);
      batch.put(ROOT, updated.toArray());
      home.write(batch);
      root = updated;
      return Optional.of(updated);
    }
  }

  @Override
  public Optional<Bytes> get(Bytes key) throws Exception {
    return get(root, key);
  }

  /// The state of a root, the newest or an older one.
  ContenderReads asOf(Digest older) {
    return key -> get(older, key);
  }

  private Optional<Bytes> get(@Nullable Digest under, Bytes key) throws Exception {
    Optional<Digest> hash = tree.find(under, key);
    return hash.isEmpty() ? Optional.empty() : Optional.of(value(hash.get()));
  }

  private Bytes value(Digest hash) throws Exception {
    byte[] value = home.db().get(row(VALUE, hash));
    if (value == null || !Sha256.hash(value).equals(hash)) {
      throw new AssertionError("no value of hash " + hash);
    }
    return Bytes.wrap(value);
  }

  @Override
  public List<Found> range(Bytes from, int limit) throws Exception {
    List<Found> found = new ArrayList<>();
    for (MerkleNode.Item item : tree.range(root, from, limit)) {
      found.add(new Found(item.key(), value(item.hash())));
    }
    return found;
  }

  /// The nodes on the way of the key, as a CBOR array of byte strings.
  @Override
  public Optional<Bytes> proof(Bytes key) throws Exception {
    Digest newest = root;
    if (newest == null) {
      return Optional.empty();
    }
    List<Bytes> path = tree.path(newest, key);
    CborWriter out = new CborWriter(1 << 13).array(path.size());
    path.forEach(out::bytes);
    return Optional.of(out.toBytes());
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

  private static byte[] row(byte kind, Digest hash) {
    byte[] key = new byte[1 + Digest.BYTES];
    key[0] = kind;
    hash.copyInto(key, 1);
    return key;
  }

  private final class Rows implements MerkleTree.Nodes {
    private final Map<Digest, Bytes> written = new HashMap<>();

    @Override
    public byte[] read(Digest hash) throws Exception {
      byte[] node = home.db().get(row(NODE, hash));
      if (node == null) {
        throw new AssertionError("no node of hash " + hash);
      }
      return node;
    }

    @Override
    public void write(Digest hash, Bytes encoded) {
      written.put(hash, encoded);
    }

    private void moveInto(WriteBatch batch) throws Exception {
      for (Map.Entry<Digest, Bytes> node : written.entrySet()) {
        batch.put(row(NODE, node.getKey()), node.getValue().unsafeArray());
      }
      written.clear();
    }
  }
}
