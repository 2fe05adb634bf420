package io.tallystick.storage.clue;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import java.io.IOException;
import java.nio.ByteBuffer;

/// Keys of the clue index in the meta store: `"c" ‖ ledgerId (32) ‖ strand (u32)` for the index, `…
/// ‖ clueId (32)` for a head, `… ‖ clueId (32) ‖ level (u8) ‖ index (u64)` for a node of the clue's
/// tree.
final class ClueRows {
  private static final byte PREFIX = 'c';
  private static final int STEM_BYTES = 1 + Digest.BYTES + Integer.BYTES;

  private static final int DELETED_AT_ONCE = 100_000;

  private final byte[] stem = new byte[STEM_BYTES];

  ClueRows(StrandId strand) {
    ByteBuffer.wrap(stem)
        .put(PREFIX)
        .put(strand.ledger().digest().toArray())
        .putInt(strand.strand());
  }

  static boolean isRow(Bytes key) {
    return key.size() >= STEM_BYTES && key.toArray()[0] == PREFIX;
  }

  /// The row of the index; also what all its keys begin with.
  Bytes index() {
    return Bytes.copyOf(stem);
  }

  Bytes head(Digest clueId) {
    byte[] key = new byte[STEM_BYTES + Digest.BYTES];
    System.arraycopy(stem, 0, key, 0, STEM_BYTES);
    clueId.copyInto(key, STEM_BYTES);
    return Bytes.wrap(key);
  }

  Bytes node(Digest clueId, int level, long index) {
    return Bytes.wrap(nodeStem(clueId, level).putLong(index).array());
  }

  /// The prefix of the keys of a level's nodes.
  Bytes level(Digest clueId, int level) {
    byte[] key = nodeStem(clueId, level).array();
    return Bytes.copyOf(key, 0, key.length - Long.BYTES);
  }

  /// Deletes heads and nodes, a bounded batch at a time.
  void deleteAllButIndex(MetaStore meta) throws IOException {
    boolean more = true;
    while (more) {
      MetaBatch batch = new MetaBatch();
      int[] room = {DELETED_AT_ONCE};
      meta.scan(
          index(),
          index(),
          (key, _) -> {
            batch.delete(key);
            return --room[0] > 0;
          });
      meta.write(batch);
      more = room[0] == 0;
    }
  }

  private ByteBuffer nodeStem(Digest clueId, int level) {
    return ByteBuffer.allocate(STEM_BYTES + Digest.BYTES + 1 + Long.BYTES)
        .put(stem)
        .put(clueId.toArray())
        .put((byte) level);
  }
}
