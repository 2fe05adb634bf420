package io.tallystick.audit.source;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.tile.TilePath;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The tiles of a growing tree, as the hashes of its lowest level come: a full tile is one hash of
/// the level above, the root over its own. Begun later than at the first hash, it knows of each
/// tile only what came since. Not thread-safe. Source: C2SP tlog-tiles.
public final class TileRows {
  private static final BatchHasher CPU = BatchHasher.cpu();

  private final int lowest;
  private final long first;
  private final List<Row> rows = new ArrayList<>();
  private final Deque<Tile> full = new ArrayDeque<>();

  /// @param lowest level whose hashes come
  /// @param first number of the hash that comes first
  public TileRows(int lowest, long first) {
    this.lowest = lowest;
    this.first = first;
  }

  /// A tile, or what is known of it.
  ///
  /// @param from where in the tile the known hashes begin; they reach to its end
  public record Tile(int level, long index, int from, Bytes hashes) {
    public int width() {
      return from + hashes.size() / Digest.BYTES;
    }
  }

  /// @param hash 32 bytes
  public void add(byte[] hash) {
    add(0, first, hash);
  }

  private void add(int above, long number, byte @Nullable [] hash) {
    if (above == rows.size()) {
      rows.add(new Row(number));
    }
    Row row = rows.get(above);
    row.put(hash);
    if (row.count == TilePath.WIDTH) {
      row.tile(lowest + above).ifPresent(full::add);
      byte[] root =
          row.from == 0
              ? TreeHasher.rootInPlace(CPU, row.hashes.clone(), row.count).toArray()
              : null;
      long index = row.index;
      row.next();
      add(above + 1, index, root);
    }
  }

  /// The next of the tiles that became full.
  @Nullable
  public Tile poll() {
    return full.poll();
  }

  /// Those that are not full, and of which something is known.
  public List<Tile> partial() {
    List<Tile> tiles = new ArrayList<>();
    for (int above = 0; above < rows.size(); above++) {
      rows.get(above).tile(lowest + above).ifPresent(tiles::add);
    }
    return tiles;
  }

  /// The hashes of the tile a level is at.
  private static final class Row {
    private final byte[] hashes = new byte[TilePath.WIDTH * Digest.BYTES];
    private long index;
    private int from;
    private int count;

    /// @param number of the hash that comes first
    Row(long number) {
      index = number / TilePath.WIDTH;
      from = (int) (number % TilePath.WIDTH);
      count = from;
    }

    /// @param hash null if not known, which may be only where the row begins
    void put(byte @Nullable [] hash) {
      if (hash == null) {
        from = count + 1;
      } else {
        System.arraycopy(hash, 0, hashes, count * Digest.BYTES, Digest.BYTES);
      }
      count++;
    }

    Optional<Tile> tile(int level) {
      if (count == from) {
        return Optional.empty();
      }
      int known = (count - from) * Digest.BYTES;
      Bytes tile = Bytes.copyOf(hashes, from * Digest.BYTES, known);
      return Optional.of(new Tile(level, index, from, tile));
    }

    void next() {
      index++;
      from = 0;
      count = 0;
    }
  }
}
