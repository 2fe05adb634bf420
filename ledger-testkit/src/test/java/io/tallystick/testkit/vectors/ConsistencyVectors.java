package io.tallystick.testkit.vectors;

import io.tallystick.model.Digest;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.List;

/// Topic `consistency`: size 6 to size 11, and what does not join them.
final class ConsistencyVectors {
  private static final int FROM = 6;
  private static final int TO = 11;

  private final VectorSet set;
  private final ReferenceTree tree = ReferenceTree.ofSize(32);
  private final List<Digest> path = tree.consistencyPath(FROM, TO);

  ConsistencyVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    good("6-to-11", 6, 11);
    good("same-size", 7, 7);
    good("from-a-complete-tree", 8, 11);
    good("from-one-leaf", 1, 11);
    good("to-a-complete-tree", 11, 16);
    bad("from-the-empty-tree", "SIZE_OUT_OF_RANGE", 0, TO, List.of());
    bad("from-negative", "SIZE_OUT_OF_RANGE", -1, TO, path);
    bad("from-larger-than-to", "SIZE_OUT_OF_RANGE", TO, FROM, path);
    bad("to-above-2-to-62", "SIZE_OUT_OF_RANGE", FROM, Long.MAX_VALUE, path);
    bad("same-size-with-two-roots", "ROOT_MISMATCH", 11, 11, List.of());
    bad("same-size-with-a-path", "WRONG_PATH_LENGTH", 6, 6, path);
    bad("from-plus-1", "WRONG_PATH_LENGTH", FROM + 1L, TO, path);
    bad("to-times-2", "WRONG_PATH_LENGTH", FROM, 2L * TO, path);
    bad("path-empty", "WRONG_PATH_LENGTH", FROM, TO, List.of());
    bad("path-without-its-first-hash", "WRONG_PATH_LENGTH", FROM, TO, HashList.without(path, 0));
    bad("path-without-its-last-hash", "WRONG_PATH_LENGTH", FROM, TO, HashList.without(path, 3));
    bad(
        "path-with-zeros-added",
        "WRONG_PATH_LENGTH",
        FROM,
        TO,
        HashList.with(path, 4, Digest.ZERO));
    bad("path-with-two-hashes-swapped", "ROOT_MISMATCH", FROM, TO, HashList.swapped(path, 1, 2));
    bad("path-with-a-flipped-bit", "ROOT_MISMATCH", FROM, TO, HashList.flipped(path, 3));
    roots("older-root-replaced", tree.root(7), tree.root(TO));
    roots("newer-root-replaced", tree.root(FROM), tree.root(12));
    roots("roots-swapped", tree.root(TO), tree.root(FROM));
  }

  private void good(String name, int from, int to) {
    set.accept(
        made(name, from, to, tree.consistencyPath(from, to))
            .with("fromRoot", tree.root(from))
            .with("toRoot", tree.root(to)));
  }

  private void bad(String name, String reason, long from, long to, List<Digest> hashes) {
    set.refuse(
        reason,
        made(name, from, to, hashes)
            .with("fromRoot", tree.root(FROM))
            .with("toRoot", tree.root(TO)));
  }

  private void roots(String name, Digest fromRoot, Digest toRoot) {
    set.refuse(
        "ROOT_MISMATCH",
        made(name, FROM, TO, path).with("fromRoot", fromRoot).with("toRoot", toRoot));
  }

  private static VectorCase made(String name, long from, long to, List<Digest> hashes) {
    return VectorCase.of("consistency/" + name, "consistency", "size " + from + " to " + to)
        .with("from", from)
        .with("to", to)
        .with("path", hashes);
  }
}
