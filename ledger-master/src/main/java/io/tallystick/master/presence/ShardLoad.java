package io.tallystick.master.presence;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.MalformedException;

/// What a shard asks of a server.
///
/// @param owned whether the server writes it; otherwise it follows it, or prepares to write it
public record ShardLoad(int shard, boolean owned, long bytesPerSecond, long journalsPerSecond) {
  private static final int FIELDS = 4;

  /// Bytes that cost a server as much as one journal does beside its own.
  private static final long JOURNAL_BYTES = 256;

  /// One number to compare loads by.
  public long weight() {
    return bytesPerSecond + JOURNAL_BYTES * journalsPerSecond;
  }

  void write(CborWriter writer) {
    writer.array(FIELDS).uint(shard).bool(owned).uint(bytesPerSecond).uint(journalsPerSecond);
  }

  static ShardLoad read(CborReader reader) throws MalformedException {
    reader.array("load", FIELDS);
    return new ShardLoad(
        (int) reader.uint("shard", Integer.MAX_VALUE),
        reader.bool(),
        reader.uint("bytes", Long.MAX_VALUE / (2 * JOURNAL_BYTES)),
        reader.uint("journals", Long.MAX_VALUE / (2 * JOURNAL_BYTES)));
  }
}
