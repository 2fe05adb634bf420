package io.tallystick.testkit.vectors;

import io.tallystick.model.Digest;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.List;

/// Topic `range`: leaves 5 to 8 of 11, and what is no proof of them.
final class RangeVectors {
  private static final int FIRST = 5;
  private static final int COUNT = 4;
  private static final int SIZE = 11;

  private final VectorSet set;
  private final ReferenceTree tree = ReferenceTree.ofSize(32);
  private final List<Digest> roots = tree.outsideRange(FIRST, COUNT, SIZE);
  private final List<Digest> leaves = tree.leafHashes(FIRST, FIRST + COUNT);

  RangeVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    good("leaves-5-to-8-of-11", FIRST, COUNT, SIZE);
    good("one-leaf", 5, 1, 11);
    good("whole-tree", 0, 11, 11);
    good("to-the-ragged-edge", 7, 4, 11);
    good("before-a-ragged-edge-of-two-subtrees", 3, 4, 11);
    bad("treeSize-0", "SIZE_OUT_OF_RANGE", FIRST, COUNT, 0, roots, leaves);
    bad("treeSize-times-2", "WRONG_PATH_LENGTH", FIRST, COUNT, 2L * SIZE, roots, leaves);
    bad("treeSize-above-2-to-62", "SIZE_OUT_OF_RANGE", FIRST, COUNT, Long.MAX_VALUE, roots, leaves);
    bad("count-0", "SIZE_OUT_OF_RANGE", FIRST, 0, SIZE, roots, List.of());
    bad("count-65537", "SIZE_OUT_OF_RANGE", FIRST, 65_537, 1L << 40, roots, leaves);
    bad("first-negative", "INDEX_OUT_OF_RANGE", -1, COUNT, SIZE, roots, leaves);
    bad("range-beyond-the-tree", "INDEX_OUT_OF_RANGE", SIZE - 1, COUNT, SIZE, roots, leaves);
    bad("first-2-to-63-minus-1", "INDEX_OUT_OF_RANGE", Long.MAX_VALUE, COUNT, SIZE, roots, leaves);
    bad("one-leaf-too-few", "LEAF_MISMATCH", FIRST, COUNT, SIZE, roots, leaves.subList(0, 3));
    bad("one-leaf-too-many", "LEAF_MISMATCH", FIRST, COUNT, SIZE, roots, tree.leafHashes(5, 10));
    bad(
        "leaves-of-the-next-range",
        "ROOT_MISMATCH",
        FIRST,
        COUNT,
        SIZE,
        roots,
        tree.leafHashes(6, 10));
    List<Digest> turned = HashList.swapped(leaves, 0, 1);
    bad("two-leaves-swapped", "ROOT_MISMATCH", FIRST, COUNT, SIZE, roots, turned);
    rooted("roots-empty", "WRONG_PATH_LENGTH", List.of());
    rooted("roots-without-the-first", "WRONG_PATH_LENGTH", HashList.without(roots, 0));
    rooted("roots-without-the-last", "WRONG_PATH_LENGTH", HashList.without(roots, 3));
    rooted("roots-with-zeros-added", "WRONG_PATH_LENGTH", HashList.with(roots, 4, Digest.ZERO));
    rooted("roots-right-to-left", "ROOT_MISMATCH", roots.reversed());
    rooted("roots-left-and-right-swapped", "ROOT_MISMATCH", HashList.swapped(roots, 1, 2));
    rooted("root-with-a-flipped-bit", "ROOT_MISMATCH", HashList.flipped(roots, 3));
    rooted(
        "ragged-edge-as-one-root",
        "WRONG_PATH_LENGTH",
        List.of(roots.get(0), roots.get(1), tree.root(9, 11)));
  }

  private void good(String name, int first, int count, int size) {
    set.accept(
        made(name, first, count, size, tree.outsideRange(first, count, size))
            .with("leafHashes", tree.leafHashes(first, first + count))
            .with("root", tree.root(size)));
  }

  private void rooted(String name, String reason, List<Digest> outside) {
    bad(name, reason, FIRST, COUNT, SIZE, outside, leaves);
  }

  private void bad(
      String name,
      String reason,
      long first,
      int count,
      long size,
      List<Digest> outside,
      List<Digest> of) {
    set.refuse(
        reason,
        made(name, first, count, size, outside)
            .with("leafHashes", of)
            .with("root", tree.root(SIZE)));
  }

  private static VectorCase made(
      String name, long first, int count, long size, List<Digest> outside) {
    return VectorCase.of("range/" + name, "range", count + " leaves from " + first + " of " + size)
        .with("first", first)
        .with("count", count)
        .with("size", size)
        .with("roots", outside);
  }
}
