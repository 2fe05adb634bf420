package io.tallystick.storage.clue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fuzz.FuzzContract;

/// Goal: no row makes an index's row or a clue's head be read as anything but what would be
/// written. Method: Jazzer; `docs/fuzzing.md`.
class ClueFuzzTest extends FuzzContract {
  private static final StrandId STRAND = new StrandId(new LedgerId(Digest.ZERO), 0);

  @FuzzTest
  void index(byte[] input) {
    decoder(input, bytes -> IndexRow.decode(STRAND, bytes).encode(), CorruptStreamException.class);
  }

  @FuzzTest
  void head(byte[] input) {
    decoder(
        input,
        bytes -> HeadRow.encode(HeadRow.decode(STRAND, 1, Digest.ZERO, 1L << 40, bytes)),
        CorruptStreamException.class);
  }
}
