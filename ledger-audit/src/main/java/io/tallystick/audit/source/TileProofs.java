package io.tallystick.audit.source;

import io.tallystick.audit.finding.CompactRange;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.tile.TilePath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Proofs built from a log's hash tiles, which stay when its leaves were purged. Nothing in them is
/// verified.
///
/// @param size of the log, by which the widths of its tiles are known
record TileProofs(TileReader tiles, long size) {

  /// By the definition of RFC 9162 section 2.1.4.1.
  ///
  /// @param from 1 to `to`
  /// @param to at most the log's size
  ConsistencyProof consistency(long from, long to) throws IOException, LogFormatException {
    List<Digest> path = new ArrayList<>();
    add(path, from, 0, to, true);
    return new ConsistencyProof(from, to, path);
  }

  /// @param old how many leaves of the range are in the older tree
  private void add(List<Digest> path, long old, long first, long end, boolean whole)
      throws IOException, LogFormatException {
    long count = end - first;
    if (old == count) {
      if (!whole) {
        path.add(root(first, end));
      }
      return;
    }
    long left = Long.highestOneBit(count - 1);
    if (old <= left) {
      add(path, old, first, first + left, whole);
      path.add(root(first + left, end));
    } else {
      add(path, old - left, first + left, end, false);
      path.add(root(first, first + left));
    }
  }

  private Digest root(long first, long end) throws IOException, LogFormatException {
    long count = end - first;
    if (Long.bitCount(count) == 1) {
      return subtree(first, Long.numberOfTrailingZeros(count));
    }
    long left = Long.highestOneBit(count);
    return TreeHasher.nodeHash(root(first, first + left), root(first + left, end));
  }

  /// The root over the 2^`height` leaves from `first` on.
  private Digest subtree(long first, int height) throws IOException, LogFormatException {
    int level = height / TilePath.HEIGHT;
    long at = first >>> (level * TilePath.HEIGHT);
    long index = at / TilePath.WIDTH;
    long hashes = (size >>> (level * TilePath.HEIGHT)) - index * TilePath.WIDTH;
    Bytes tile = tiles.hashes(level, index, (int) Math.min(TilePath.WIDTH, hashes));
    int count = 1 << (height % TilePath.HEIGHT);
    int offset = (int) (at % TilePath.WIDTH);
    CompactRange range = new CompactRange();
    for (int i = offset; i < offset + count; i++) {
      range.append(tile.unsafeArray(), i * Digest.BYTES);
    }
    return range.root();
  }
}
