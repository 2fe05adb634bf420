package io.tallystick.storage.clue;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A meta store that has every node of the tree of one clue whose leaves are equal, and needs no
/// room for them. Other rows are kept; nodes that are written are checked.
final class LongListRows implements MetaStore {
  private static final int NODE_KEY_BYTES = 37 + 32 + 1 + 8;

  private final InMemoryMetaStore rows = new InMemoryMetaStore();
  private final List<Digest> hashByLevel;

  LongListRows(List<Digest> hashByLevel) {
    this.hashByLevel = hashByLevel;
  }

  @Override
  public @Nullable Bytes get(Bytes key) {
    return rows.get(key);
  }

  @Override
  public void scan(Bytes prefix, @Nullable Bytes after, RowVisitor visitor) throws IOException {
    assertThat(prefix.size()).as("only a level is scanned").isEqualTo(NODE_KEY_BYTES - 8);
    byte level = prefix.unsafeArray()[prefix.size() - 1];
    long index =
        after == null ? 0 : ByteBuffer.wrap(after.unsafeArray()).getLong(prefix.size()) + 1;
    ByteBuffer key = ByteBuffer.allocate(NODE_KEY_BYTES).put(prefix.unsafeArray());
    boolean more = true;
    while (more) {
      key.putLong(prefix.size(), index++);
      more = visitor.row(Bytes.copyOf(key.array()), hashByLevel.get(level).toBytes());
    }
  }

  @Override
  public void write(MetaBatch batch) {
    MetaBatch others = new MetaBatch();
    for (MetaBatch.Change change : batch.changes()) {
      if (change instanceof MetaBatch.Change.Put(Bytes key, Bytes value)) {
        if (key.size() == NODE_KEY_BYTES) {
          int level = key.unsafeArray()[NODE_KEY_BYTES - 9];
          assertThat(value).isEqualTo(hashByLevel.get(level).toBytes());
        } else {
          others.put(key, value);
        }
      }
    }
    rows.write(others);
  }

  @Override
  public void close() {}
}
