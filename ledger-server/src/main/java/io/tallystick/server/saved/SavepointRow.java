package io.tallystick.server.saved;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamStore;
import java.io.IOException;

/// Where recovery starts: `"s" → [1, frame, number, epoch, timeMs]`. Written last in a savepoint's
/// batch, which is the only commit point. Source: `docs/formats/savepoint.md`.
///
/// @param position the first frame that is not indexed in this savepoint
/// @param epoch of the newest writer
public record SavepointRow(StreamPosition position, long epoch, long timeMs) {
  public static final Bytes KEY = Bytes.utf8("s");
  private static final int VERSION = 1;

  /// The row of the last savepoint; that of an empty shard before the first.
  public static SavepointRow of(MetaStore meta) throws IOException, CorruptStreamException {
    Bytes row = meta.get(KEY);
    if (row == null) {
      return new SavepointRow(StreamStore.START, 0, 0);
    }
    try {
      return decode(row);
    } catch (MalformedException e) {
      throw new CorruptStreamException("savepoint row", 0, String.valueOf(e.getMessage()));
    }
  }

  public Bytes encode() {
    return new CborWriter(64)
        .array(5)
        .uint(VERSION)
        .uint(position.frame())
        .uint(position.number())
        .uint(epoch)
        .uint(timeMs)
        .toBytes();
  }

  public static SavepointRow decode(Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("savepoint row", 5);
    long version = in.uint();
    if (version != VERSION) {
      throw new MalformedException("savepoint version " + version + ", want " + VERSION);
    }
    StreamPosition position = new StreamPosition(in.uint(), in.uint());
    SavepointRow decoded = new SavepointRow(position, in.uint(), in.uint());
    in.end();
    return decoded;
  }
}
