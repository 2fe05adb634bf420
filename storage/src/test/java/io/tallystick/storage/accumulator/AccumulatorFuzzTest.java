package io.tallystick.storage.accumulator;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fuzz.FuzzContract;

/// Goal: no row makes an accumulator's head be read as anything but what would be written. Method:
/// Jazzer; `docs/testing.md`.
class AccumulatorFuzzTest extends FuzzContract {
  private static final StrandId STRAND = new StrandId(new LedgerId(Digest.ZERO), 0);

  @FuzzTest
  void head(byte[] input) {
    decoder(
        input,
        bytes -> AccumulatorHead.encode(AccumulatorHead.decode(STRAND, bytes)),
        CorruptStreamException.class);
  }
}
