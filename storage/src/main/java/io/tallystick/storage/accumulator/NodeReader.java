package io.tallystick.storage.accumulator;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.merkle.NodeId;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads the complete subtrees one proof is made of. A level that is not stored is recomputed from
/// at most 8 of the 16 children of its group; the last group of each level is kept, since a path
/// needs it up to four times. Not thread-safe: one per proof.
final class NodeReader {
  private static final BatchHasher HASHER = BatchHasher.cpu();

  /// 16 hashes, fewer at the right edge, of a stored level.
  private static final class Group {
    private final long index;
    private final byte[] hashes;

    private Group(long index, byte[] hashes) {
      this.index = index;
      this.hashes = hashes;
    }
  }

  private final Levels levels;
  private final Frontier frontier;
  private final NodeCache.Share cache;
  private final Map<Integer, Group> lastGroups = new HashMap<>();
  private final byte[] work = new byte[Levels.FANOUT / 2 * Digest.BYTES];

  /// @param frontier the published one: its nodes need not be read
  NodeReader(Levels levels, Frontier frontier, NodeCache.Share cache) {
    this.levels = levels;
    this.frontier = frontier;
    this.cache = cache;
  }

  /// One element of a path: the root over subtrees that lie side by side.
  Digest fold(List<NodeId> subtrees) throws IOException, CorruptStreamException {
    return subtrees.size() == 1
        ? hash(subtrees.getFirst())
        : TreeHasher.foldRight(hashes(subtrees));
  }

  List<Digest> hashes(List<NodeId> nodes) throws IOException, CorruptStreamException {
    List<Digest> hashes = new ArrayList<>(nodes.size());
    for (NodeId node : nodes) {
      hashes.add(hash(node));
    }
    return hashes;
  }

  Digest hash(NodeId node) throws IOException, CorruptStreamException {
    Digest known = frontier.find(node);
    if (known != null) {
      return known;
    }
    int above = node.level() % Levels.STEP;
    int stored = node.level() - above;
    long first = node.index() << above;
    if (stored > 0) {
      Digest kept = cached(stored, above, first);
      if (kept != null) {
        return kept;
      }
    }
    byte[] hashes = group(stored, first / Levels.FANOUT).hashes;
    int count = 1 << above;
    System.arraycopy(
        hashes, (int) (first % Levels.FANOUT) * Digest.BYTES, work, 0, count * Digest.BYTES);
    return TreeHasher.rootInPlace(HASHER, work, count);
  }

  /// From a whole group above the leaves, which is kept for later proofs; null if it is not whole.
  private @Nullable Digest cached(int stored, int above, long first)
      throws IOException, CorruptStreamException {
    long index = first / Levels.FANOUT;
    int place = (int) (first % Levels.FANOUT) >> above;
    Digest kept = cache.find(stored, index, above, place);
    if (kept != null || (index + 1) * Levels.FANOUT > levels.rowCount(stored)) {
      return kept;
    }
    byte[] hashes = new byte[Levels.FANOUT * Digest.BYTES];
    levels.read(stored, index * Levels.FANOUT, Levels.FANOUT, hashes, 0);
    return cache.keep(stored, index, hashes).node(above, place);
  }

  private Group group(int level, long index) throws IOException, CorruptStreamException {
    Group group = lastGroups.get(level);
    long rows = levels.rowCount(level);
    int count = (int) Math.min(Levels.FANOUT, rows - index * Levels.FANOUT);
    if (group == null || group.index != index || group.hashes.length < count * Digest.BYTES) {
      byte[] hashes = new byte[count * Digest.BYTES];
      levels.read(level, index * Levels.FANOUT, count, hashes, 0);
      group = new Group(index, hashes);
      lastGroups.put(level, group);
    }
    return group;
  }
}
