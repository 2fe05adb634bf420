package io.tallystick.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.testkit.Effort;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/// What the tests of evidence share.
final class Rejections {
  private Rejections() {}

  static void assertRejected(Reason reason, ThrowingCallable verification) {
    assertThatThrownBy(verification)
        .isInstanceOfSatisfying(
            ProofRejectedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  static void assertMalformed(ThrowingCallable decoding) {
    assertThatThrownBy(decoding).isInstanceOf(MalformedException.class);
  }

  static Bytes flipBit(Bytes bytes, int bit) {
    byte[] flipped = bytes.toArray();
    flipped[bit / 8] ^= (byte) (1 << (bit % 8));
    return Bytes.wrap(flipped);
  }

  interface Verification {
    void verify(Bytes evidence) throws MalformedException, ProofRejectedException;
  }

  /// No bit of evidence may be changed unnoticed; nothing but the two documented exceptions comes
  /// out. The short form tries two or three bits of each byte.
  static void assertEveryBitCounts(Bytes evidence, Verification verification) {
    for (int bit = 0; bit < evidence.size() * 8; bit += Effort.of(3, 1)) {
      Bytes flipped = flipBit(evidence, bit);
      assertThatThrownBy(() -> verification.verify(flipped))
          .as("bit %d", bit)
          .isInstanceOfAny(MalformedException.class, ProofRejectedException.class);
    }
  }

  /// Evidence ends where it ends.
  static void assertEveryByteCounts(Bytes evidence, Verification verification) {
    for (int length = 0; length < evidence.size(); length++) {
      Bytes cut = evidence.slice(0, length);
      assertThatThrownBy(() -> verification.verify(cut))
          .as("cut at %d", length)
          .isInstanceOfAny(MalformedException.class, ProofRejectedException.class);
    }
    byte[] longer = new byte[evidence.size() + 1];
    evidence.copyInto(longer, 0);
    assertThatThrownBy(() -> verification.verify(Bytes.wrap(longer)))
        .isInstanceOfAny(MalformedException.class, ProofRejectedException.class);
  }
}
