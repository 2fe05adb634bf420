package io.tallystick.merkle.patricia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: nibbles have one encoding. Method: the examples of the Ethereum wiki, every count, and
/// forms that lenient readers take.
class HexPrefixTest {
  @ParameterizedTest
  @CsvSource({
    "0102030405, false, 112345",
    "000102030405, false, 00012345",
    "000f010c0b08, true, 200f1cb8",
    "0f010c0b08, true, 3f1cb8",
    "'', true, 20",
    "0a, true, 3a"
  })
  void encodesTheExamples(String nibbles, boolean leaf, String encoded) throws MalformedException {
    HexPrefix path = new HexPrefix(Bytes.fromHex(nibbles), leaf);
    assertThat(path.encode().hex()).isEqualTo(encoded);
    assertThat(HexPrefix.decode(Bytes.fromHex(encoded))).isEqualTo(path);
  }

  @Test
  void readsBackEveryCount() throws MalformedException {
    for (int count = 0; count <= HexPrefix.NIBBLES_MAX; count++) {
      byte[] nibbles = new byte[count];
      for (int i = 0; i < count; i++) {
        nibbles[i] = (byte) (i * 7 % 16);
      }
      HexPrefix path = new HexPrefix(Bytes.wrap(nibbles), count % 3 == 0);
      assertThat(HexPrefix.decode(path.encode())).isEqualTo(path);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "40", "50", "8a", "f0", "01", "0f", "21", "2f45"})
  void refusesEveryOtherForm(String encoded) {
    assertMalformed(encoded);
  }

  @Test
  void refusesMoreNibblesThanAKeyHas() {
    assertMalformed("20" + "00".repeat(33));
    assertMalformed("30" + "00".repeat(32));
    assertThatThrownBy(() -> new HexPrefix(Bytes.wrap(new byte[65]), true))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new HexPrefix(Bytes.fromHex("10"), true))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new HexPrefix(Bytes.fromHex("ff"), true))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void matchesOnlyWhatAKeyGoesOnWith() {
    byte[] key = Bytes.fromHex("1234").toArray();
    HexPrefix path = new HexPrefix(Bytes.fromHex("0304"), true);
    assertThat(path.matches(key, 2)).isTrue();
    assertThat(path.matches(key, 1)).isFalse();
    HexPrefix longer = new HexPrefix(Bytes.fromHex("0405"), true);
    assertThat(longer.matches(key, 3)).as("longer than the key").isFalse();
    assertThat(new HexPrefix(Bytes.EMPTY, true).matches(key, 4)).isTrue();
  }

  private static void assertMalformed(String encoded) {
    assertThatThrownBy(() -> HexPrefix.decode(Bytes.fromHex(encoded)))
        .as(encoded)
        .isInstanceOf(MalformedException.class);
  }
}
