package io.tallystick.tile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: names and bundles are those of C2SP tlog-tiles, and a bundle is read in one way only.
/// Method: the specification's own examples, and each length a byte too large or too small.
class TileFilesTest {
  @Test
  void namesFilesAsTheSpecificationDoes() {
    assertThat(TilePath.hashes(0, 1_234_067, 256)).isEqualTo("tile/0/x001/x234/067");
    assertThat(TilePath.hashes(0, 273, 112)).isEqualTo("tile/0/273.p/112");
    assertThat(TilePath.hashes(1, 1, 17)).isEqualTo("tile/1/001.p/17");
    assertThat(TilePath.hashes(2, 0, 1)).isEqualTo("tile/2/000.p/1");
    assertThat(TilePath.entries(0, 256)).isEqualTo("tile/entries/000");
    assertThat(TilePath.attestations(1000, 255)).isEqualTo("tile/attest/x001/000.p/255");
    assertThat(TilePath.bodies(999, 256)).isEqualTo("bodies/999");
    assertThat(TilePath.hashes(7, Long.MAX_VALUE >> 8, 256)).startsWith("tile/7/x036/x028/");
  }

  @Test
  void refusesFilesThatCannotBe() {
    assertThatThrownBy(() -> TilePath.hashes(8, 0, 1)).isInstanceOf(RuntimeException.class);
    assertThatThrownBy(() -> TilePath.entries(-1, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> TilePath.entries(0, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> TilePath.entries(0, 257)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void putsEachItemBehindItsLength() throws Exception {
    List<Bytes> items = List.of(Bytes.fromHex("a1a2"), Bytes.EMPTY, Bytes.fromHex("c1"));
    assertThat(TileBundle.ENTRIES.encode(items).hex()).isEqualTo("0002a1a200000001c1");
    assertThat(TileBundle.BODIES.encode(items).hex()).isEqualTo("00000002a1a20000000000000001c1");
    for (TileBundle kind : TileBundle.values()) {
      TileItems decoded = kind.decode(kind.encode(items), 3);
      assertThat(decoded.count()).isEqualTo(3);
      for (int i = 0; i < 3; i++) {
        assertThat(decoded.item(i)).isEqualTo(items.get(i));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 256, 0", "300, 256, 0", "300, 5, 7", "1, 256, 3", "200000, 12, 0"})
  void makesRoomForItemsAsTheyCome(int itemBytes, int count, int growth) throws Exception {
    BundleWriter file = new BundleWriter(TileBundle.BODIES, 0);
    List<Bytes> items = new ArrayList<>();
    SplittableRandom random = new SplittableRandom(count);
    for (int i = 0; i < count; i++) {
      byte[] item = new byte[i % 50 == 0 ? 0 : itemBytes + i * growth];
      random.nextBytes(item);
      items.add(Bytes.wrap(item));
      file.item(items.getLast());
    }
    TileItems written = TileBundle.BODIES.decode(file.finish(), count);
    for (int i = 0; i < count; i++) {
      assertThat(written.item(i)).isEqualTo(items.get(i));
    }
  }

  @Test
  void writesNoFileThatItWouldNotRead() {
    Bytes leaf = Bytes.wrap(new byte[(16 << 10) + 1]);
    assertThatThrownBy(() -> TileBundle.ENTRIES.encode(List.of(leaf)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(TileBundle.ATTESTATIONS.encode(List.of(leaf)).size()).isEqualTo(4 + leaf.size());
    List<Bytes> many = Collections.nCopies(257, Bytes.EMPTY);
    assertThatThrownBy(() -> TileBundle.ENTRIES.encode(many))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(TileBundle.ENTRIES.encode(many.subList(0, 256)).size()).isEqualTo(512);
  }

  @Test
  void refusesABundleThatHasNotExactlyItsItems() {
    Bytes bundle = Bytes.fromHex("0002a1a200000001c1");
    refused(bundle, 2, "3 bytes behind the last of 2 items");
    refused(bundle, 4, "breaks off before item 3 of 4");
    refused(bundle.slice(0, 8), 3, "item 2 of 1 bytes, at most 16384 and 0 are left");
    refused(bundle.slice(0, 7), 3, "breaks off before item 2 of 3");
    refused(Bytes.fromHex("4001"), 1, "item 0 of 16385 bytes, at most 16384 and 0 are left");
  }

  @Test
  void believesNoLengthOf32Bits() {
    assertThatThrownBy(() -> TileBundle.ATTESTATIONS.decode(Bytes.fromHex("ffffffff"), 1))
        .isInstanceOf(MalformedException.class)
        .hasMessage("item 0 of 4294967295 bytes, at most 65536 and 0 are left");
  }

  private static void refused(Bytes bundle, int count, String says) {
    assertThatThrownBy(() -> TileBundle.ENTRIES.decode(bundle, count))
        .isInstanceOf(MalformedException.class)
        .hasMessage(says);
  }
}
