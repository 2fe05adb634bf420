package io.tallystick.cbor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a reader stays in its range, announces no more items than bytes can hold, and says where
/// and why it refused. Method: the smallest input that breaks each rule. The golden vectors hold
/// more.
class CborReaderTest {
  @FunctionalInterface
  interface Read {
    void from(CborReader in) throws MalformedException;
  }

  record Refused(String hex, Read read, String message) {
    @Override
    public String toString() {
      return hex + ": " + message;
    }
  }

  static List<Refused> refused() {
    Read uintAndEnd =
        in -> {
          in.uint();
          in.end();
        };
    return List.of(
        new Refused("0000", uintAndEnd, "1 bytes left over at 1"),
        new Refused("1c", CborReader::uint, "indefinite or reserved length at 0"),
        new Refused("1800", CborReader::uint, "head of unsigned integer at 1 is not the shortest"),
        new Refused("1b8000000000000000", CborReader::uint, "number above 2^63-1 at 1"),
        new Refused("4301", CborReader::bytes, "byte string of 3 bytes, only 1 left"),
        new Refused("6161", CborReader::bytes, "byte string expected at 0, found major type 3"),
        new Refused("8200", CborReader::array, "array of 2 items, only 1 bytes left"),
        new Refused("a100", CborReader::map, "map of 1 items, only 1 bytes left"),
        new Refused("820000", in -> in.arrayAtMost("list", 1), "list has 2 items, at most 1"));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void saysWhereAndWhyItRefuses(Refused example) {
    CborReader in = new CborReader(Bytes.fromHex(example.hex));
    assertThatThrownBy(() -> example.read.from(in))
        .isInstanceOf(MalformedException.class)
        .hasMessage(example.message);
  }

  @Test
  void takesAsManyItemsAsThereAreBytesFor() throws MalformedException {
    assertThat(new CborReader(Bytes.fromHex("820000")).arrayAtMost("list", 2)).isEqualTo(2);
    assertThat(new CborReader(Bytes.fromHex("a10000")).map()).isEqualTo(1);
  }

  @Test
  void readsItsRangeOfAnArrayAndNoFurther() throws MalformedException {
    byte[] array = Bytes.fromHex("ff" + "0102" + "03").toArray();
    CborReader in = new CborReader(array, 1, 2);
    assertThat(in.position()).isEqualTo(1);
    assertThat(in.uint()).isEqualTo(1);
    assertThat(in.position()).isEqualTo(2);
    assertThat(in.remaining()).isEqualTo(1);
    assertThat(in.uint()).isEqualTo(2);
    in.end();
    assertThatThrownBy(in::uint).hasMessageContaining("truncated");
  }
}
