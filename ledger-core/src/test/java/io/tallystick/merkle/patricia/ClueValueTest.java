package io.tallystick.merkle.patricia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.merkle.TreeGeometry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: a clue's value has one encoding. Method: fixed bytes; values at the limits; each field
/// spoilt.
class ClueValueTest {
  private static final String HASH = "22".repeat(32);
  private static final Digest ROOT = Digest.fromHex(HASH);

  @ParameterizedTest
  @CsvSource({
    "1, 0, e3 01 a0R 80",
    "127, 2, e3 7f a0R 02",
    "128, 127, e4 8180 a0R 7f",
    "1000, 70000, e8 8203e8 a0R 83011170",
    "4611686018427387904, 4611686018427387903, f3 884000000000000000 a0R 883fffffffffffffff"
  })
  void hasOneEncoding(long count, long deletedJsn, String text) throws MalformedException {
    Bytes encoded = Bytes.fromHex(text.replace(" ", "").replace("R", HASH));
    ClueValue value = new ClueValue(count, ROOT, deletedJsn);
    assertThat(value.encode()).isEqualTo(encoded);
    assertThat(ClueValue.decode(encoded)).isEqualTo(value);
    assertThat(value.isDeleted()).isEqualTo(deletedJsn != 0);
    assertThat(encoded.size()).isBetween(36, ClueValue.BYTES_MAX);
  }

  @ParameterizedTest
  @CsvSource({
    "e3 80 a0R 80, count 0",
    "e3 00 a0R 80, begins with a zero",
    "e4 8101 a0R 80, not written as itself",
    "e3 01 a0R 00, begins with a zero",
    "e5 01 a0R 820001, begins with a zero",
    "eb 884000000000000001 a0R 80, at most",
    "eb 01 a0R 884000000000000000, at most",
    "e2 01 9fS 80, hash of 31 bytes",
    "e4 01 a0R 8080, left over",
    "e2 01 a0R, truncated",
    "e3 01 a0R 8000, left over",
    "f823 01 a0R 80, not the shortest",
    "a3 01 a0R 80, list expected",
    "e3 01 c0R 80, found a list"
  })
  void refusesEveryOtherForm(String text, String why) {
    String hex = text.replace(" ", "").replace("R", HASH).replace("S", HASH.substring(2));
    assertThatThrownBy(() -> ClueValue.decode(Bytes.fromHex(hex)))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining(why);
  }

  @Test
  void isMadeWithinItsLimitsOnly() {
    assertIllegal(0, 0);
    assertIllegal(-1, 0);
    assertIllegal(TreeGeometry.SIZE_MAX + 1, 0);
    assertIllegal(1, -1);
    assertIllegal(1, ClueValue.JSN_MAX + 1);
  }

  private static void assertIllegal(long count, long deletedJsn) {
    assertThatThrownBy(() -> new ClueValue(count, ROOT, deletedJsn))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
