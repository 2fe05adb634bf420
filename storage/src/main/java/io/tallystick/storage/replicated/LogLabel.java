package io.tallystick.storage.replicated;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.util.Optional;

/// Who made a log. Source: `docs/formats/replicated.md`.
///
/// @param epoch of the claim under which it was made
record LogLabel(String cluster, int shard, long epoch) {
  private static final int FORMAT = 1;
  private static final int FIELDS = 4;

  Bytes encode() {
    CborWriter writer = new CborWriter().array(FIELDS).uint(FORMAT);
    return writer.text(cluster).uint(shard).uint(epoch).toBytes();
  }

  /// Empty for a log that something else has made.
  static Optional<LogLabel> decode(Bytes label) {
    try {
      CborReader reader = new CborReader(label);
      ValueFields.begin(reader, "label", FIELDS, FORMAT);
      LogLabel decoded =
          new LogLabel(reader.text(), (int) reader.uint("shard", Integer.MAX_VALUE), reader.uint());
      reader.end();
      return Optional.of(decoded);
    } catch (MalformedException _) {
      return Optional.empty();
    }
  }
}
