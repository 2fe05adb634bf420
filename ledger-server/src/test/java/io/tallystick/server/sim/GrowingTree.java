package io.tallystick.server.sim;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.List;

/// A Merkle tree by RFC 9162 that only grows, with all its nodes, so that it knows the root of
/// every size it had.
public final class GrowingTree {
  private static final byte[] NODE = {1};

  private final List<List<Digest>> levels = new ArrayList<>();

  public void add(Digest leafHash) {
    Digest hash = leafHash;
    int level = 0;
    while (true) {
      if (levels.size() == level) {
        levels.add(new ArrayList<>());
      }
      List<Digest> nodes = levels.get(level);
      nodes.add(hash);
      if (nodes.size() % 2 == 1) {
        return;
      }
      hash = parent(nodes.get(nodes.size() - 2), hash);
      level++;
    }
  }

  /// The root of the first `size` leaves, at least one.
  public Digest rootAt(long size) {
    Digest right = null;
    for (int level = 0; level < levels.size(); level++) {
      if ((size >> level & 1) == 1) {
        Digest node = levels.get(level).get((int) (size >> level) - 1);
        right = right == null ? node : parent(node, right);
      }
    }
    if (right == null) {
      throw new IllegalArgumentException("no root of " + size);
    }
    return right;
  }

  private static Digest parent(Digest left, Digest right) {
    return Sha256.hash(NODE, left.toArray(), right.toArray());
  }
}
