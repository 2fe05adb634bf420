package io.tallystick.cbor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: text is read alike whether it is ASCII, which needs no decoder, or not; what is not UTF-8
/// is refused; and an encoding made to measure is whole. Method: texts of both sorts, there and
/// back.
class CborTextTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"", "a", "text/plain; charset=utf-8", "é", "naïve", "日本", "a\u0000b", "😀"})
  void readsWhatWasWritten(String text) throws Exception {
    Bytes encoded = new CborWriter().array(2).text(text).uint(7).finish();
    CborReader in = new CborReader(encoded);
    in.array("pair", 2);
    assertThat(in.text()).isEqualTo(text);
    assertThat(in.uint()).isEqualTo(7);
    in.end();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"6180", "62c328", "63e28228", "62c080", "63eda080", "64f4908080", "6261ff"})
  void refusesWhatIsNotUtf8(String hex) {
    assertThatThrownBy(() -> new CborReader(Bytes.fromHex(hex)).text())
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("not UTF-8");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 23, 24, 255, 256, 65_535, 65_536, 0xffff_ffffL, 0x1_0000_0000L})
  void knowsHowLongAHeadIs(long value) {
    assertThat(new CborWriter().uint(value).length()).isEqualTo(CborWriter.headBytes(value));
  }

  @ParameterizedTest
  @ValueSource(ints = {15, 16, 17, 300})
  void finishesWithExactlyWhatWasWritten(int bytes) {
    byte[] content = new byte[bytes];
    content[bytes - 1] = 1;
    int encodedBytes = CborWriter.headBytes(bytes) + bytes;
    for (int capacity : new int[] {encodedBytes - 1, encodedBytes, encodedBytes + 1}) {
      Bytes encoded = new CborWriter(capacity).bytes(content).finish();
      assertThat(encoded.size()).isEqualTo(encodedBytes);
      assertThat(encoded.slice(encodedBytes - bytes, bytes)).isEqualTo(Bytes.copyOf(content));
    }
  }
}
