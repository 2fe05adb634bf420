package io.tallystick.storage.meta;

import io.tallystick.model.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/// The checkpoint of a meta store that has no files: one file `rows`, in memory. Each row is
/// keyBytes (4), valueBytes (4), key, value.
public final class ListedRows implements MetaCheckpoint {
  public static final String NAME = "rows";

  private final byte[] rows;

  private ListedRows(byte[] rows) {
    this.rows = rows;
  }

  static ListedRows of(MetaStore meta) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    meta.scan(
        Bytes.EMPTY,
        null,
        (key, value) -> {
          out.writeInt(key.size());
          out.writeInt(value.size());
          out.write(key.toArray());
          out.write(value.toArray());
          return true;
        });
    return new ListedRows(bytes.toByteArray());
  }

  /// Puts the rows of such a file into a meta store.
  public static void read(byte[] file, MetaStore meta) throws IOException {
    ByteBuffer in = ByteBuffer.wrap(file);
    MetaBatch batch = new MetaBatch();
    while (in.hasRemaining()) {
      byte[] key = new byte[in.getInt()];
      byte[] value = new byte[in.getInt()];
      in.get(key).get(value);
      batch.put(Bytes.wrap(key), Bytes.wrap(value));
    }
    meta.write(batch);
  }

  @Override
  public List<RowFile> files() {
    return List.of(new RowFile(NAME, rows.length));
  }

  @Override
  public void read(String name, long position, ByteBuffer into) {
    int at = Math.toIntExact(position);
    into.put(rows, at, Math.min(into.remaining(), rows.length - at));
  }

  @Override
  public void close() {}
}
