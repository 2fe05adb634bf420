package io.tallystick.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.cbor.CborWriter;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.testkit.Fixtures;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: no two texts have the same bytes where bytes are hashed or signed. Method: half surrogate
/// pairs wherever a text becomes bytes; whole ones beside.
class Utf8Test {
  @ParameterizedTest
  @CsvSource({"\ud800, 0", "ab\udc00, 2", "\ud83d\ude00\ud83d, 2", "\ude00\ud83d, 0", "\ud83dx, 0"})
  void halfAPairHasNoBytes(String text, int index) {
    assertThat(Utf8.unpairedAt(text)).isEqualTo(index);
    LedgerId ledger = Fixtures.ledger().strand().ledger();
    ErasureTarget target = new ErasureTarget.OfClue(Digest.ZERO, new Jsn(2), new Jsn(2));
    Bytes salt = Bytes.wrap(new byte[32]);
    for (ThrowingCallable use :
        List.<ThrowingCallable>of(
            () -> Utf8.encode(text),
            () -> Bytes.utf8(text),
            () -> new CborWriter().text(text),
            () -> Commitments.clueId(ledger, text),
            () -> Commitments.name(salt, text),
            () -> new Extension.Occult(target, text))) {
      assertThatThrownBy(use)
          .isInstanceOfSatisfying(
              UnpairedSurrogateException.class, e -> assertThat(e.index()).isEqualTo(index));
    }
  }

  @Test
  void allElseHas() throws Exception {
    for (String text : new String[] {"", "a", "\u041c", "\ufffd", "\ud83d\ude00", "\u0000"}) {
      assertThat(Utf8.encode(text)).isEqualTo(text.getBytes(StandardCharsets.UTF_8));
      assertThat(Utf8.decode(Utf8.encode(text))).isEqualTo(text);
    }
  }
}
