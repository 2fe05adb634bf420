package io.tallystick.audit.source;

import io.tallystick.audit.finding.CompactRange;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.journal.Leaf;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.removal.PseudoGenesis;
import io.tallystick.removal.Snapshot;
import io.tallystick.tile.TilePath;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The hashes below where a purged log begins, in the tiles that reach behind that place: they must
/// give the subtrees that the snapshot has. Each tile is checked once. Not thread-safe. Source:
/// `docs/formats/tiles.md`.
final class TilesBelow {

  private final TileReader tiles;
  private final long size;
  private final long first;
  private final Map<Integer, Row> open = new TreeMap<>();

  /// @param index of the tile across
  /// @param count of its hashes below
  private record Row(long index, int count, List<Digest> subtrees) {}

  /// @param size of the log, by which the widths of its tiles are known
  /// @param first where the log begins
  /// @param subtrees of the tree of that size, largest first
  private TilesBelow(TileReader tiles, long size, long first, List<Digest> subtrees) {
    this.tiles = tiles;
    this.size = size;
    this.first = first;
    int end = subtrees.size();
    long above = first;
    for (int level = 0; above > 0; level++, above /= TilePath.WIDTH) {
      int count = (int) (above % TilePath.WIDTH);
      int begin = end - Integer.bitCount(count);
      if (count > 0) {
        open.put(level, new Row(above / TilePath.WIDTH, count, subtrees.subList(begin, end)));
      }
      end = begin;
    }
  }

  /// @param begins the log's pseudo-genesis
  /// @return empty if the log does not begin at `first` by it
  static Optional<TilesBelow> of(TileReader tiles, long size, long first, Bytes begins)
      throws MalformedException {
    Snapshot snapshot = Snapshot.decode(PseudoGenesis.decode(begins).snapshot());
    if (snapshot.firstKept().value() != first) {
      return Optional.empty();
    }
    CompactRange tree = new CompactRange();
    tree.restore(first - 1, snapshot.frontier());
    tree.append(Leaf.hash(snapshot.seal()).toArray(), 0);
    return Optional.of(new TilesBelow(tiles, size, first, tree.subtrees()));
  }

  /// A purge takes the bodies below.
  ///
  /// @param bytes of the body that the bundle across has for this leaf
  void checkBody(long jsn, int bytes) throws LogFormatException {
    if (jsn < first && bytes > 0) {
      throw LogFormatException.malformed(
          String.format(
              Locale.ROOT,
              "%d bytes of a body for journal %d, which was purged: the log begins at %d",
              bytes,
              jsn,
              first));
    }
  }

  /// The leaves under this tile, as far as the log has them, were told.
  void check(int level, long index) throws IOException, LogFormatException {
    Row row = open.get(level);
    if (row == null || row.index != index) {
      return;
    }
    open.remove(level);
    long hashes = (size >>> (level * TilePath.HEIGHT)) - index * TilePath.WIDTH;
    int width = (int) Math.min(TilePath.WIDTH, hashes);
    byte[] tile = tiles.hashes(level, index, width).unsafeArray();
    CompactRange found = new CompactRange();
    for (int i = 0; i < row.count; i++) {
      found.append(tile, i * Digest.BYTES);
    }
    if (!found.subtrees().equals(row.subtrees)) {
      throw LogFormatException.malformed(
          String.format(
              Locale.ROOT,
              "%s has other hashes of what was purged than the snapshot, root %s",
              TilePath.hashes(level, index, width),
              TreeHasher.foldRight(found.subtrees())));
    }
  }

  /// All leaves of the log were told.
  void checkRest() throws IOException, LogFormatException {
    for (Map.Entry<Integer, Row> each : Map.copyOf(open).entrySet()) {
      check(each.getKey(), each.getValue().index);
    }
  }
}
