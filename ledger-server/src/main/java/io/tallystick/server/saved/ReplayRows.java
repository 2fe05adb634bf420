package io.tallystick.server.saved;

import io.tallystick.journal.Limits;
import io.tallystick.model.Bytes;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The replay table as saved: the ids that came since the last savepoint, in rows by the minute in
/// which they expire, so that a row is deleted whole and never read again. `"r" ‖ minute u64 ‖
/// frame number u64 → (id 16 bytes ‖ first jsn u64 ‖ expiresMs u56 ‖ signers u8)…`. One owner
/// thread.
public final class ReplayRows {
  private static final Bytes PREFIX = Bytes.utf8("r");
  private static final int KEY_BYTES = PREFIX.size() + 2 * Long.BYTES;
  private static final int ENTRY_BYTES = 32;
  private static final long BUCKET_MS = 60_000;
  private static final long BUCKET_MAX = Limits.TIME_MS_MAX / BUCKET_MS;

  private final Map<Long, ByteArrayOutputStream> unsaved = new TreeMap<>();
  private final TreeMap<Long, List<Bytes>> saved = new TreeMap<>();

  /// Receives the entries of a restore.
  @FunctionalInterface
  public interface EntryVisitor {
    void entry(long high, long low, long firstJsn, int signers, long expiresMs);
  }

  /// Reads what was saved and has not expired.
  ///
  /// @throws CorruptStreamException if a row's minute cannot be, or it is not made of whole entries
  public void restore(MetaStore meta, long nowMs, EntryVisitor visitor)
      throws IOException, CorruptStreamException {
    List<Bytes> damaged = new ArrayList<>();
    meta.scan(
        PREFIX,
        null,
        (key, value) -> {
          if (key.size() != KEY_BYTES || value.size() % ENTRY_BYTES != 0) {
            damaged.add(key);
            return false;
          }
          long bucket = ByteBuffer.wrap(key.unsafeArray()).getLong(PREFIX.size());
          if (bucket < 0 || bucket > BUCKET_MAX) {
            damaged.add(key);
            return false;
          }
          saved.computeIfAbsent(bucket, _ -> new ArrayList<>()).add(key);
          if (!isOver(bucket, nowMs)) {
            visit(ByteBuffer.wrap(value.unsafeArray()), nowMs, visitor);
          }
          return true;
        });
    if (!damaged.isEmpty()) {
      throw new CorruptStreamException(
          "replay row " + damaged.getFirst(), 0, "no minute, or not made of whole entries");
    }
  }

  private static void visit(ByteBuffer entries, long nowMs, EntryVisitor visitor) {
    while (entries.hasRemaining()) {
      long high = entries.getLong();
      long low = entries.getLong();
      long jsn = entries.getLong();
      long last = entries.getLong();
      if (last >>> 8 >= nowMs) {
        visitor.entry(high, low, jsn, (int) (last & 0xff), last >>> 8);
      }
    }
  }

  /// Takes the ids of a block just indexed.
  public void add(BlockInfo block) {
    for (int submission = 0; submission < block.submissions(); submission++) {
      int ids = block.signatureIds(submission);
      for (int i = 0; i < ids; i++) {
        long expiresMs = block.latestExpiresMs(submission);
        ByteBuffer entry =
            ByteBuffer.allocate(ENTRY_BYTES)
                .putLong(block.signatureId(submission, i, true))
                .putLong(block.signatureId(submission, i, false))
                .putLong(block.firstJsn() + block.firstJournal(submission))
                .putLong(expiresMs << 8 | ids);
        unsaved
            .computeIfAbsent(expiresMs / BUCKET_MS, _ -> new ByteArrayOutputStream())
            .writeBytes(entry.array());
      }
    }
  }

  /// Adds new rows to `batch` and deletes those whose minute is over.
  public void savepoint(MetaBatch batch, long frameNumber, long nowMs) {
    for (Map.Entry<Long, ByteArrayOutputStream> bucket : unsaved.entrySet()) {
      Bytes key = key(bucket.getKey(), frameNumber);
      batch.put(key, Bytes.wrap(bucket.getValue().toByteArray()));
      saved.computeIfAbsent(bucket.getKey(), _ -> new ArrayList<>()).add(key);
    }
    unsaved.clear();
    Iterator<Map.Entry<Long, List<Bytes>>> oldest = saved.entrySet().iterator();
    while (oldest.hasNext()) {
      Map.Entry<Long, List<Bytes>> bucket = oldest.next();
      if (!isOver(bucket.getKey(), nowMs)) {
        break;
      }
      bucket.getValue().forEach(batch::delete);
      oldest.remove();
    }
  }

  private static boolean isOver(long bucket, long nowMs) {
    return (bucket + 1) * BUCKET_MS < nowMs;
  }

  private static Bytes key(long bucket, long frameNumber) {
    ByteBuffer key = ByteBuffer.allocate(KEY_BYTES);
    key.put(PREFIX.unsafeArray()).putLong(bucket).putLong(frameNumber);
    return Bytes.wrap(key.array());
  }
}
