package io.tallystick.storage.clue;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.merkle.NodeId;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Complete subtrees of one clue's tree: from the frontier, from at most 255 leaves, or from at
/// most 128 stored nodes. Not thread-safe: one per proof.
final class ClueSubtrees {
  private static final BatchHasher HASHER = BatchHasher.cpu();

  private final ClueListReader entries;
  private final ClueNodes nodes;
  private final byte[] head;
  private final Digest clueId;

  ClueSubtrees(ClueListReader entries, ClueNodes nodes, byte[] head) {
    this.entries = entries;
    this.nodes = nodes;
    this.head = head;
    this.clueId = HeadBytes.clueId(head);
  }

  /// The hashes of these nodes. Small neighbours are computed from one reading of their leaves.
  List<Digest> hashes(List<NodeId> wanted) throws IOException, CorruptStreamException {
    List<Digest> hashes = new ArrayList<>(wanted.size());
    for (int at = 0; at < wanted.size(); ) {
      NodeId node = wanted.get(at);
      if (isInFrontier(node)) {
        hashes.add(Digest.of(head, HeadBytes.frontierAt(node.level())));
        at++;
      } else if (node.level() >= ClueNodes.STEP) {
        hashes.add(stored(node));
        at++;
      } else {
        int end = endOfSmall(wanted, at);
        addSmall(wanted.subList(at, end), hashes);
        at = end;
      }
    }
    return hashes;
  }

  private boolean isInFrontier(NodeId node) {
    long left = HeadBytes.count(head) >>> node.level();
    return (left & 1) == 1 && node.index() == left - 1;
  }

  private Digest stored(NodeId node) throws IOException, CorruptStreamException {
    int above = node.level() % ClueNodes.STEP;
    int count = 1 << above;
    byte[] hashes = new byte[count * Digest.BYTES];
    nodes.read(clueId, node.level() - above, node.index() << above, count, hashes);
    return TreeHasher.rootInPlace(HASHER, hashes, count);
  }

  /// One past the last of the nodes from `at` on that are small, side by side and together no more
  /// than the leaves of a stored node.
  private int endOfSmall(List<NodeId> wanted, int at) {
    long first = wanted.get(at).firstLeaf();
    int end = at + 1;
    while (end < wanted.size()
        && wanted.get(end).level() < ClueNodes.STEP
        && wanted.get(end).firstLeaf() == wanted.get(end - 1).endLeaf()
        && wanted.get(end).endLeaf() - first <= 1 << ClueNodes.STEP
        && !isInFrontier(wanted.get(end))) {
      end++;
    }
    return end;
  }

  private void addSmall(List<NodeId> small, List<Digest> hashes)
      throws IOException, CorruptStreamException {
    long first = small.getFirst().firstLeaf();
    int count = (int) (small.getLast().endLeaf() - first);
    byte[] leaves = new byte[count * Digest.BYTES];
    TreeEdge edge = new TreeEdge();
    entries.readBack(
        first,
        count,
        (place, entry) -> {
          int at = place * Digest.BYTES;
          entry.copyLeafHash(leaves, at);
          edge.leaf(leaves, at);
          edge.copyInto(leaves, at);
        });
    for (NodeId node : small) {
      int from = (int) (node.firstLeaf() - first) * Digest.BYTES;
      int width = 1 << node.level();
      byte[] part = new byte[width * Digest.BYTES];
      System.arraycopy(leaves, from, part, 0, part.length);
      hashes.add(TreeHasher.rootInPlace(HASHER, part, width));
    }
  }
}
