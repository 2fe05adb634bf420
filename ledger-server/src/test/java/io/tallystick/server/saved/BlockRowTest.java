package io.tallystick.server.saved;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.Fixtures;
import org.junit.jupiter.api.Test;

/// Goal: a block row is read back as it was written or not at all. Method: flip every bit; read at
/// another height.
class BlockRowTest {
  private static final BlockRow ROW =
      new BlockRow(
          2, 9, 5, 1L << 32, 7, 92, 800, id("a"), id("b"), id("c"), id("d"), id("e"), null);

  private static Digest id(String name) {
    return Digest.of(Fixtures.bytes32(name));
  }

  @Test
  void readsBackWhatWasWritten() throws Exception {
    BlockRow signed = ROW.signed(Bytes.fromHex("01".repeat(64)));
    assertThat(BlockRow.decode(ROW.encode(3), 3)).isEqualTo(ROW);
    assertThat(BlockRow.decode(signed.encode(3), 3)).isEqualTo(signed);
    assertThat(ROW.encode(3)).hasSize(BlockRow.BYTES);
  }

  @Test
  void refusesEveryFlippedBit() {
    for (int bit = 0; bit < 8 * BlockRow.BYTES; bit++) {
      byte[] row = ROW.encode(3);
      row[bit / 8] ^= (byte) (1 << bit % 8);
      assertThatThrownBy(() -> BlockRow.decode(row, 3)).isInstanceOf(CorruptStreamException.class);
    }
  }

  @Test
  void refusesTheRowOfAnotherHeight() {
    assertThatThrownBy(() -> BlockRow.decode(ROW.encode(3), 4))
        .isInstanceOf(CorruptStreamException.class)
        .hasMessageContaining("block 4");
  }
}
