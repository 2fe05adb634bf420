package io.tallystick.testkit.vectors;

import io.tallystick.model.Digest;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.Collections;
import java.util.List;

/// Topic `inclusion`: leaf 5 of 11, and what is no proof of it.
final class InclusionVectors {
  private static final int INDEX = 5;
  private static final int SIZE = 11;

  private final VectorSet set;
  private final ReferenceTree tree = ReferenceTree.ofSize(32);
  private final List<Digest> path = tree.inclusionPath(INDEX, SIZE);

  InclusionVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    good("leaf-5-of-11", 5, 11);
    good("only-leaf", 0, 1);
    good("last-leaf-at-the-ragged-edge", 10, 11);
    good("last-leaf-of-a-complete-tree", 15, 16);
    bad("treeSize-times-2", "WRONG_PATH_LENGTH", INDEX, 2L * SIZE, path);
    bad("treeSize-minus-1", "ROOT_MISMATCH", 9, 10, tree.inclusionPath(9, 10));
    bad("treeSize-0", "SIZE_OUT_OF_RANGE", 0, 0, List.of());
    bad("treeSize-negative", "SIZE_OUT_OF_RANGE", 0, -1, path);
    bad("treeSize-above-2-to-62", "SIZE_OUT_OF_RANGE", INDEX, (1L << 62) + 1, path);
    bad("treeSize-2-to-63-minus-1", "SIZE_OUT_OF_RANGE", INDEX, Long.MAX_VALUE, path);
    bad("index-equals-size", "INDEX_OUT_OF_RANGE", SIZE, SIZE, path);
    bad("index-negative", "INDEX_OUT_OF_RANGE", -1, SIZE, path);
    bad("index-plus-1", "ROOT_MISMATCH", INDEX + 1L, SIZE, path);
    bad("index-of-its-sibling", "ROOT_MISMATCH", INDEX - 1L, SIZE, path);
    bad("path-empty", "WRONG_PATH_LENGTH", INDEX, SIZE, List.of());
    bad("path-without-its-first-hash", "WRONG_PATH_LENGTH", INDEX, SIZE, HashList.without(path, 0));
    bad("path-without-its-last-hash", "WRONG_PATH_LENGTH", INDEX, SIZE, HashList.without(path, 3));
    bad("path-with-the-root-added", "WRONG_PATH_LENGTH", INDEX, SIZE, added(tree.root(SIZE)));
    bad("path-with-zeros-added", "WRONG_PATH_LENGTH", INDEX, SIZE, added(Digest.ZERO));
    bad("path-with-two-hashes-swapped", "ROOT_MISMATCH", INDEX, SIZE, HashList.swapped(path, 0, 1));
    bad("path-reversed", "ROOT_MISMATCH", INDEX, SIZE, path.reversed());
    bad("path-with-a-flipped-bit", "ROOT_MISMATCH", INDEX, SIZE, HashList.flipped(path, 2));
    bad(
        "path-of-64-hashes",
        "WRONG_PATH_LENGTH",
        INDEX,
        1L << 62,
        Collections.nCopies(64, Digest.ZERO));
    set.refuse("ROOT_MISMATCH", leaf("leaf-replaced", tree.leafHash(6), "another leaf's hash"));
    set.refuse(
        "WRONG_PATH_LENGTH",
        made("root-as-its-own-proof", 0, 2, List.of())
            .with("leafHash", tree.root(SIZE))
            .with("root", tree.root(SIZE)));
    set.refuse(
        "ROOT_MISMATCH",
        leaf("inner-node-as-a-leaf", tree.root(4, 6), "the hash above leaves 4 and 5"));
  }

  private List<Digest> added(Digest hash) {
    return HashList.with(path, path.size(), hash);
  }

  private void good(String name, int index, int size) {
    set.accept(
        made(name, index, size, tree.inclusionPath(index, size))
            .with("leafHash", tree.leafHash(index))
            .with("root", tree.root(size)));
  }

  private void bad(String name, String reason, long index, long size, List<Digest> hashes) {
    set.refuse(
        reason,
        made(name, index, size, hashes)
            .with("leafHash", tree.leafHash(INDEX))
            .with("root", tree.root(SIZE)));
  }

  private VectorCase leaf(String name, Digest leafHash, String description) {
    return VectorCase.of("inclusion/" + name, "inclusion", description)
        .with("index", INDEX)
        .with("size", SIZE)
        .with("path", path)
        .with("leafHash", leafHash)
        .with("root", tree.root(SIZE));
  }

  private static VectorCase made(String name, long index, long size, List<Digest> hashes) {
    return VectorCase.of("inclusion/" + name, "inclusion", "leaf " + index + " of " + size)
        .with("index", index)
        .with("size", size)
        .with("path", hashes);
  }
}
