package io.tallystick.storage.clue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fuzz.FuzzContract;
import java.nio.ByteBuffer;
import java.util.Arrays;

/// Goal: no row makes an index's row or a clue's head be read as anything but what would be
/// written. Method: Jazzer; `docs/testing.md`.
class ClueFuzzTest extends FuzzContract {
  private static final StrandId STRAND = new StrandId(new LedgerId(Digest.ZERO), 0);
  private static final long CELLS = 1L << 40;

  @FuzzTest
  void index(byte[] input) {
    decoder(input, bytes -> IndexRow.decode(STRAND, bytes).encode(), CorruptStreamException.class);
  }

  @FuzzTest
  void head(byte[] input) {
    decoder(
        input,
        bytes -> {
          Bytes row = HeadRow.encode(HeadRow.decode(STRAND, 1, Digest.ZERO, CELLS, whole(bytes)));
          return row.slice(0, row.size() - Integer.BYTES);
        },
        CorruptStreamException.class);
  }

  /// With the checksum that it would have.
  private static Bytes whole(Bytes row) {
    byte[] whole = Arrays.copyOf(row.toArray(), row.size() + Integer.BYTES);
    int checksum = HeadRow.checksum(Digest.ZERO, whole);
    return Bytes.wrap(ByteBuffer.wrap(whole).putInt(row.size(), checksum).array());
  }
}
