package io.tallystick.audit.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.source.TileRows.Tile;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: tiles are those of C2SP tlog-tiles on every level, also for one who comes later. Method:
/// the hashes of each level by the recursive definition, cut into tiles.
class TileRowsTest {
  private static final int SIZE = 2 * 65_536 + 3 * 256 + 5;
  private static final List<Digest> LEAVES = leaves();

  private static List<Digest> leaves() {
    List<Digest> leaves = new ArrayList<>();
    for (int i = 0; i < SIZE; i++) {
      leaves.add(TreeHasher.leafHash(Bytes.utf8("leaf " + i)));
    }
    return leaves;
  }

  private static List<Tile> tiles(TileRows rows, int from) {
    List<Tile> tiles = new ArrayList<>();
    for (Digest leaf : LEAVES.subList(from, SIZE)) {
      rows.add(leaf.toArray());
      for (Tile tile = rows.poll(); tile != null; tile = rows.poll()) {
        tiles.add(tile);
      }
    }
    tiles.addAll(rows.partial());
    return tiles;
  }

  /// The hashes from one number of a level up to another.
  private static Bytes hashes(int level, int from, int to) {
    int leaves = 1 << (8 * level);
    byte[] hashes = new byte[(to - from) * Digest.BYTES];
    for (int i = from; i < to; i++) {
      TreeHasher.rootOverLeafHashes(LEAVES.subList(i * leaves, (i + 1) * leaves))
          .copyInto(hashes, (i - from) * Digest.BYTES);
    }
    return Bytes.wrap(hashes);
  }

  private static List<Tile> expected() {
    List<Tile> tiles = new ArrayList<>();
    for (int level = 0; SIZE >> (8 * level) > 0; level++) {
      int count = SIZE >> (8 * level);
      for (int from = 0; from < count; from += 256) {
        tiles.add(new Tile(level, from / 256, 0, hashes(level, from, Math.min(count, from + 256))));
      }
    }
    return tiles;
  }

  @Test
  void areThoseOfEveryLevel() {
    List<Tile> tiles = tiles(new TileRows(0, 0), 0);
    assertThat(tiles).containsExactlyInAnyOrderElementsOf(expected());
    assertThat(tiles.getLast().level()).isEqualTo(2);
  }

  @Test
  void whoComesLaterKnowsWhatCameSince() {
    List<Tile> all = expected();
    for (int from : new int[] {1, 256, 65_535, 65_536, 70_000, 131_072, SIZE - 1, SIZE}) {
      List<Tile> tiles = tiles(new TileRows(0, from), from);
      for (Tile tile : tiles) {
        Tile whole =
            all.stream()
                .filter(each -> each.level() == tile.level() && each.index() == tile.index())
                .findFirst()
                .orElseThrow();
        assertThat(tile.width()).isEqualTo(whole.width());
        assertThat(tile.hashes())
            .isEqualTo(whole.hashes().slice(tile.from() * Digest.BYTES, tile.hashes().size()));
      }
      int known =
          tiles.stream().filter(tile -> tile.level() == 0).mapToInt(TileRowsTest::known).sum();
      int since = SIZE - from;
      assertThat(known).as("leaves from %d on", from).isEqualTo(since);
      int above =
          tiles.stream().filter(tile -> tile.level() == 1).mapToInt(TileRowsTest::known).sum();
      int begun = Math.max(0, SIZE / 256 - (from + 255) / 256);
      assertThat(above).as("tiles begun from %d on", from).isEqualTo(begun);
    }
  }

  private static int known(Tile tile) {
    return tile.width() - tile.from();
  }
}
