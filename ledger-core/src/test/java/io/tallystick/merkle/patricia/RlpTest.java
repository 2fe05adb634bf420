package io.tallystick.merkle.patricia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: RLP has one encoding for each value, and no other is read. Method: the examples of the
/// Yellow Paper's appendix B and of the Ethereum wiki, lengths about every limit, and forms that
/// lenient readers take.
class RlpTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 55, 56, 57, 255, 256, 257, 65_535, 65_536, 70_000})
  void readsBackAStringOfAnyLength(int length) throws MalformedException {
    byte[] value = new byte[length];
    Arrays.fill(value, (byte) 0xab);
    RlpWriter out = new RlpWriter(0).string(value);
    assertThat(out.length()).isEqualTo(RlpWriter.stringBytes(value));
    RlpReader in = new RlpReader(out.toBytes());
    assertThat(in.string("value", length)).isEqualTo(Bytes.wrap(value));
    in.end();
  }

  @ParameterizedTest
  @CsvSource({
    "'', 80",
    "00, 00",
    "7f, 7f",
    "80, 8180",
    "646f67, 83646f67",
    "0400, 820400",
    "ff, 81ff"
  })
  void writesAStringAsTheYellowPaperDoes(String value, String encoded) throws MalformedException {
    assertThat(new RlpWriter(0).string(Bytes.fromHex(value)).toBytes().hex()).isEqualTo(encoded);
    assertThat(new RlpReader(Bytes.fromHex(encoded)).string("value", 9))
        .isEqualTo(Bytes.fromHex(value));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 80",
    "1, 01",
    "127, 7f",
    "128, 8180",
    "255, 81ff",
    "256, 820100",
    "1024, 820400",
    "65536, 83010000",
    "4611686018427387904, 884000000000000000",
    "9223372036854775807, 887fffffffffffffff"
  })
  void readsBackANumber(long value, String encoded) throws MalformedException {
    assertThat(new RlpWriter(0).uint(value).toBytes().hex()).isEqualTo(encoded);
    assertThat(RlpWriter.uintBytes(value)).isEqualTo(encoded.length() / 2);
    RlpReader in = new RlpReader(Bytes.fromHex(encoded));
    assertThat(in.uint("number", value)).isEqualTo(value);
    in.end();
    assertMalformed(encoded, reader -> reader.uint("number", value - 1), "at most");
  }

  @Test
  void writesNoNumberBelowZero() {
    assertThatThrownBy(() -> new RlpWriter(0).uint(-1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "00, begins with a zero",
    "820001, begins with a zero",
    "888000000000000000, at most",
    "88ffffffffffffffff, at most",
    "89010000000000000000, 9 bytes"
  })
  void refusesANumberThatIsNotTheShortestOrTooLarge(String encoded, String why) {
    assertMalformed(encoded, reader -> reader.uint("number", Long.MAX_VALUE), why);
  }

  @ParameterizedTest
  @CsvSource({
    "8100, not written as itself",
    "817f, not written as itself",
    "b80161, not the shortest",
    "b8, length of 1 bytes",
    "b838, 56 bytes at 0",
    "ba00, length of 3 bytes",
    "bb7fffffff, 2147483647 bytes at 0",
    "bbffffffff, 4294967295 bytes at 0",
    "bc0000000100, length of 5 bytes",
    "bf7fffffffffffffff, length of 8 bytes",
    "83646f, 3 bytes at 0",
    "c0, found a list",
    "'', truncated"
  })
  void refusesAStringInAnyOtherForm(String encoded, String why) {
    assertMalformed(encoded, reader -> reader.string("value", 99), why);
  }

  @Test
  void refusesALongLengthThatHasLeadingZeros() {
    assertMalformed("b90038" + "aa".repeat(56), in -> in.string("value", 99), "not the shortest");
    assertMalformed("b837" + "aa".repeat(55), in -> in.string("value", 99), "not the shortest");
    assertMalformed("f837" + "01".repeat(55), RlpReader::list, "not the shortest");
    assertMalformed("f90038" + "01".repeat(56), RlpReader::list, "not the shortest");
  }

  @ParameterizedTest
  @CsvSource({
    "c3646f, 3 bytes at 0",
    "f838, 56 bytes at 0",
    "83646f67, found a string",
    "f8, length of 1",
    "'', truncated"
  })
  void refusesAListInAnyOtherForm(String encoded, String why) {
    assertMalformed(encoded, RlpReader::list, why);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 55, 56, 255, 256, 65_536})
  void readsBackAListOfAnyLength(int length) throws MalformedException {
    RlpWriter out = new RlpWriter(0).list(length);
    for (int i = 0; i < length; i++) {
      out.uint(1);
    }
    assertThat(out.length()).isEqualTo(RlpWriter.listBytes(length));
    RlpReader in = new RlpReader(out.toBytes());
    assertThat(in.atList()).isTrue();
    RlpReader items = in.list();
    in.end();
    for (int i = 0; i < length; i++) {
      assertThat(items.atList()).isFalse();
      assertThat(items.uint("item", 1)).isEqualTo(1);
    }
    assertThat(items.hasNext()).isFalse();
    items.end();
  }

  @Test
  void aListDoesNotReadBeyondItsEnd() throws MalformedException {
    // The second item says it has 2 bytes; the list has 1 left, the input 3.
    RlpReader items = new RlpReader(Bytes.fromHex("c3018261" + "6263")).list();
    assertThat(items.uint("item", 9)).isEqualTo(1);
    assertThatThrownBy(() -> items.string("item", 9))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("only 1 left");
  }

  @Test
  void refusesAHashOfAnotherLengthAndBytesLeftOver() throws MalformedException {
    Digest hash = Digest.fromHex("11".repeat(32));
    assertThat(new RlpReader(new RlpWriter(0).digest(hash).toBytes()).digest()).isEqualTo(hash);
    assertMalformed("9f" + "11".repeat(31), RlpReader::digest, "hash of 31 bytes");
    assertMalformed("a1" + "11".repeat(33), RlpReader::digest, "hash of 33 bytes");
    assertMalformed("01", RlpReader::end, "1 bytes left over");
    assertMalformed("820400", in -> in.string("name", 1), "name has 2 bytes, at most 1");
  }

  @Test
  void aWriterIsReusedAfterReset() {
    RlpWriter out = new RlpWriter(0).uint(7);
    assertThat(out.reset().uint(8).toBytes().hex()).isEqualTo("08");
    assertThat(out.buffer()[0]).isEqualTo((byte) 8);
  }

  private interface Reading {
    void read(RlpReader in) throws MalformedException;
  }

  private static void assertMalformed(String encoded, Reading reading, String why) {
    assertThatThrownBy(() -> reading.read(new RlpReader(Bytes.fromHex(encoded))))
        .as(encoded)
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining(why);
  }
}
