package io.tallystick.merkle;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.List;

/// Trees of up to 2⁶² equal leaves: the root by RFC 9162's recursion on the size alone.
final class UniformTree {
  static final Digest LEAF = TreeHasher.leafHash(Bytes.utf8("the same"));
  private static final List<Digest> COMPLETE = new ArrayList<>(List.of(LEAF));

  static {
    for (int level = 0; level < 62; level++) {
      COMPLETE.add(TreeHasher.nodeHash(COMPLETE.get(level), COMPLETE.get(level)));
    }
  }

  private UniformTree() {}

  static JournalRoot root(long size) {
    return new JournalRoot(mth(size));
  }

  static List<Digest> look(List<NodeId> nodes) {
    return nodes.stream().map(node -> COMPLETE.get(node.level())).toList();
  }

  static List<Digest> join(List<List<NodeId>> elements) {
    return elements.stream().map(element -> TreeHasher.foldRight(look(element))).toList();
  }

  private static Digest mth(long size) {
    long top = Long.highestOneBit(size);
    Digest left = COMPLETE.get(Long.numberOfTrailingZeros(top));
    return size == top ? left : TreeHasher.nodeHash(left, mth(size - top));
  }
}
