package io.tallystick.storage.array;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fuzz.FuzzContract;

/// Goal: no row makes an array's head be read as anything but what would be written. Method:
/// Jazzer; `docs/testing.md`.
class ArrayFuzzTest extends FuzzContract {
  private static final ArrayId ID =
      new ArrayId(new StrandId(new LedgerId(Digest.ZERO), 0), "nodes-0");

  @FuzzTest
  void head(byte[] input) {
    decoder(
        input,
        bytes -> ArrayHead.decode(ID, bytes, Digest.BYTES).encode(),
        CorruptStreamException.class);
  }
}
