package io.tallystick.server.keys;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.server.saved.SavepointRow;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Which pairs of keys are the service's, in the meta store. Source: docs/formats/savepoint.md.
///
/// ```
/// "i"              → [1, authority, note kid, receipt kid]
/// "i" ‖ number u32 → [1, note kid, receipt kid]
/// ```
final class PairRows {
  private static final Bytes IDENTITY = Bytes.utf8("i");
  private static final int VERSION = 1;

  private final MetaStore meta;

  /// The kids of a pair.
  record Pair(Digest noteKid, Digest receiptKid) {}

  /// @param pairs in the order they were recorded, at least one
  record Identity(Authority authority, List<Pair> pairs) {}

  PairRows(MetaStore meta) {
    this.meta = meta;
  }

  /// @return null before the first start has ended
  @Nullable Identity read() throws IOException, ServiceKeysException {
    List<Bytes> keys = new ArrayList<>();
    List<Bytes> rows = new ArrayList<>();
    meta.scan(
        IDENTITY,
        null,
        (key, value) -> {
          keys.add(key);
          rows.add(value);
          return true;
        });
    if (rows.isEmpty()) {
      return null;
    }
    try {
      return decode(keys, rows);
    } catch (MalformedException | IllegalArgumentException e) {
      throw new ServiceKeysException(
          "the recorded service identity is damaged: " + e.getMessage(), e);
    }
  }

  private static Identity decode(List<Bytes> keys, List<Bytes> rows) throws MalformedException {
    List<Pair> pairs = new ArrayList<>(rows.size());
    CborReader in = new CborReader(rows.getFirst());
    in.array("identity", 4);
    version(in);
    Authority authority = new Authority(in.text());
    pairs.add(pair(in));
    for (int i = 0; i < rows.size(); i++) {
      if (!keys.get(i).equals(key(i))) {
        throw new MalformedException(
            String.format(Locale.ROOT, "row %s, want %s", keys.get(i).hex(), key(i).hex()));
      }
      if (i > 0) {
        in = new CborReader(rows.get(i));
        in.array("pair", 3);
        version(in);
        pairs.add(pair(in));
      }
    }
    return new Identity(authority, pairs);
  }

  private static Bytes key(int number) {
    return number == 0
        ? IDENTITY
        : Bytes.wrap(ByteBuffer.allocate(1 + Integer.BYTES).put((byte) 'i').putInt(number).array());
  }

  private static void version(CborReader in) throws MalformedException {
    long version = in.uint();
    if (version != VERSION) {
      throw new MalformedException("version " + version + ", want " + VERSION);
    }
  }

  private static Pair pair(CborReader in) throws MalformedException {
    Pair pair = new Pair(in.digest(), in.digest());
    in.end();
    return pair;
  }

  /// Whether the shard has been opened before: then an identity was recorded before that.
  boolean hasSavepoint() throws IOException {
    return meta.get(SavepointRow.KEY) != null;
  }

  /// Records the first pair.
  void found(Authority authority, Pair first) throws IOException {
    CborWriter row = new CborWriter().array(4).uint(VERSION).text(authority.value());
    row.digest(first.noteKid).digest(first.receiptKid);
    meta.write(new MetaBatch().put(IDENTITY, row.toBytes()));
  }

  /// Records further pairs in this order.
  ///
  /// @param recorded how many there are
  void add(int recorded, List<Pair> more) throws IOException {
    MetaBatch batch = new MetaBatch();
    for (int i = 0; i < more.size(); i++) {
      CborWriter row = new CborWriter().array(3).uint(VERSION);
      row.digest(more.get(i).noteKid).digest(more.get(i).receiptKid);
      batch.put(key(recorded + i), row.toBytes());
    }
    meta.write(batch);
  }
}
