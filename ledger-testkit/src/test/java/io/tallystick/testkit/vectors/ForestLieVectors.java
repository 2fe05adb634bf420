package io.tallystick.testkit.vectors;

import static io.tallystick.testkit.vectors.ForgedForest.entry;
import static io.tallystick.testkit.vectors.ForgedForest.inner;
import static io.tallystick.testkit.vectors.ForgedForest.leaf;
import static io.tallystick.testkit.vectors.ForgedForest.partition;
import static io.tallystick.testkit.vectors.ForgedForest.search;
import static io.tallystick.testkit.vectors.ForgedForest.separators;

import io.tallystick.merkle.forest.StatePartition;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.testkit.SampleState;
import io.tallystick.testkit.vectors.ForgedForest.Node;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// Topic `forest`, `lying-…`: the service itself signed a seal over nodes that no forest has, so
/// that every hash is right.
final class ForestLieVectors {
  private static final int SIZE = 4;
  private static final Bytes A = Bytes.utf8("a");
  private static final Bytes M = Bytes.utf8("m");
  private static final Bytes NONE = separators("");

  private final VectorSet set;

  ForestLieVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    right();
    leaves();
    slots();
    levels();
    sizes();
    encodings();
    partitions();
    ranges();
  }

  /// What the lies are made of is accepted where it is no lie.
  private void right() {
    Node two = leaf(separators("m", ""), entry("a", 2), entry("m", 2));
    Node root = inner(1, separators("t", ""), two.child(2), leaf("t").child(1));
    Bytes partition = partition(root, 3);
    SampleState log = sealed(ForgedForest.root(partition));
    set.accept(
        ForestCases.lookup(
            "honest-like-the-lying-ones",
            log,
            SIZE,
            M,
            proof(log, M, partition, root.step(0), two.step(1))));
  }

  private void leaves() {
    Node unsorted = leaf(separators("", "a", "b"), entry("m", 2), entry("b", 2), entry("a", 2));
    lie("leaf-not-sorted", "WRONG_KEY", A, unsorted, 1);
    Node descending = leaf(separators("", "m", "a"), entry("z", 2), entry("m", 2), entry("a", 2));
    lie("separators-descending", "MALFORMED", A, descending, 2);
    Node twice = leaf(separators("a", ""), entry("a", 2), entry("a", 3));
    Bytes partition = partition(twice, 2);
    lie("key-twice-the-older-shown", "ROOT_MISMATCH", A, partition, twice.step(0));
    Node equal = leaf(separators("a", "", ""), entry("a", 2), entry("a", 3), entry("a", 4));
    lie("key-twice-by-equal-separators", "MALFORMED", A, equal, 1);
    Node absent = leaf(separators("m", ""), entry("m", 2), entry("a", 2));
    lie("key-hidden-in-the-wrong-slot", "WRONG_KEY", A, absent, 0);
  }

  private void slots() {
    Node wide = leaf(separators("n", ""), entry("a", 2), entry("z", 2));
    way("children-overlap", "WRONG_KEY", wide, 0);
    Node bound = leaf(separators("m", ""), entry("a", 2), entry("m", 2));
    way("separator-at-the-end-of-its-slot", "WRONG_KEY", bound, 0);
    Node right = leaf(separators("m", ""), entry("m", 2), entry("z", 2));
    Node root = inner(1, separators("m", ""), leaf("a").child(1), right.child(2));
    Bytes partition = partition(root, 3);
    lie(
        "separator-at-the-beginning-of-its-slot",
        "WRONG_KEY",
        Bytes.utf8("z"),
        partition,
        root.step(1),
        right.step(1));
    way("key-outside-its-childs-interval", "WRONG_KEY", leaf("z"), 0);
    way("key-at-the-end-of-its-slot", "WRONG_KEY", leaf("m"), 0);
  }

  /// A tree of two leaves cut at `m`, of which the left is `first`; the way of `a`.
  private void way(String name, String reason, Node first, int slot) {
    long n = first.records().size();
    Node root = inner(1, separators("m", ""), first.child(n), leaf("m").child(1));
    lie(name, reason, A, partition(root, n + 1), root.step(0), first.step(slot));
  }

  private void levels() {
    Node leaf = leaf("a");
    Node high = inner(2, separators("m", ""), leaf.child(1), leaf("m").child(1));
    lie("level-skipped", "WRONG_PATH_LENGTH", A, partition(high, 2), high.step(0), leaf.step(0));
    Node entries = inner(1, separators("m", ""), entry("a", 2), entry("m", 2));
    lie(
        "inner-node-of-entries",
        "MALFORMED",
        A,
        partition(entries, 2),
        entries.step(0),
        leaf.step(0));
    Node children = leaf(separators("m", ""), leaf.child(1), leaf("m").child(1));
    lie("leaf-of-children", "MALFORMED", A, children, 0);
    Node alone = inner(1, NONE, leaf.child(1));
    lie(
        "inner-node-of-one-child",
        "MALFORMED",
        A,
        partition(alone, 1),
        alone.step(0),
        leaf.step(0));
    Bytes[] deep = new Bytes[17];
    Arrays.fill(deep, leaf.step(0));
    lie("huge-depth", "MALFORMED", A, partition(leaf, 1), deep);
    Node sixteen = inner(16, separators("m", ""), leaf.child(1), leaf("m").child(1));
    lie("level-16", "MALFORMED", A, sixteen, 0);
  }

  private void sizes() {
    Node two = leaf(separators("m", ""), entry("a", 2), entry("m", 2));
    lie("entry-count-of-a-partition", "WRONG_SIZE", A, partition(two, 3), two.step(0));
    Node root = inner(1, separators("t", ""), two.child(3), leaf("t").child(1));
    lie("entry-count-of-a-child", "WRONG_SIZE", A, partition(root, 4), root.step(0), two.step(0));
    Node one = leaf("a");
    Bytes huge = one.step(0, 1025, 0, entry("a", 2));
    lie("huge-n", "MALFORMED", A, partition(one, 1025), huge);
    Bytes larger = one.step(0, 1L << 62, 0, entry("a", 2));
    lie("n-of-2-to-the-62", "MALFORMED", A, partition(one, 1), larger);
    Bytes empty = one.step(0, 0, 0, entry("a", 2));
    lie("leaf-of-no-records", "MALFORMED", A, partition(one, 1), empty);
    Bytes other = one.step(0, 2, 0, entry("a", 2));
    lie("n-without-its-separators", "MALFORMED", A, partition(one, 1), other);
  }

  private void encodings() {
    Bytes[] records = {entry("key 1", 2), entry("key 2", 2), entry("key 3", 2)};
    Bytes key = Bytes.utf8("key 1");
    separated("separators-prefix-too-short", key, separators("key", " 2", " 3"), records);
    separated("separators-without-their-prefix", key, separators("", "key 2", "key 3"), records);
    separated("separators-one-too-few", key, separators("key 2", ""), records);
    separated("separators-one-too-many", key, separators("key ", "2", "3", "4"), records);
    separated("separator-empty", key, separators("", "", "key 3"), records);
    separated("separator-of-257-bytes", key, separators("k", "2", "z".repeat(256)), records);
    separated("separator-alone-split", A, separators("", "m"), entry("a", 2), entry("m", 2));
    separated("prefix-of-no-separators", A, separators("a"), entry("a", 2));
    Bytes good = entry("a", 2);
    recorded("entry-of-type-5", Forge.replaceStart(good, "8604", "8605"));
    recorded("entry-of-five-items", Forge.replaceStart(good, "8604", "8504"));
    recorded("tombstone-with-a-size", Bytes.fromHex("8604" + "4161" + "f4f6" + "0502"));
    recorded("bytes-behind-an-entry", Forge.append(good, "00"));
  }

  private void separated(String name, Bytes key, Bytes separators, Bytes... records) {
    lie(name, "MALFORMED", key, leaf(separators, records), 0);
  }

  private void recorded(String name, Bytes record) {
    lie(name, "MALFORMED", A, leaf(NONE, record), 0);
  }

  private void partitions() {
    Node leaf = leaf("a");
    OptionalLong open = OptionalLong.empty();
    OptionalLong one = OptionalLong.of(1);
    OptionalLong zero = OptionalLong.of(0);
    two("numbers-with-a-gap", "BROKEN_CHAIN", of(0, 0, zero, leaf), of(2, 1, open, leaf));
    two("numbers-descending", "BROKEN_CHAIN", of(1, 0, zero, leaf), of(0, 1, open, leaf));
    two("number-twice", "BROKEN_CHAIN", of(1, 0, zero, leaf), of(1, 1, open, leaf));
    two("heights-overlap", "BROKEN_CHAIN", of(0, 1, one, leaf), of(1, 1, open, leaf));
    two("older-partition-open", "BROKEN_CHAIN", of(0, 0, open, leaf), of(1, 1, open, leaf));
    Bytes closedLater = of(0, 1, OptionalLong.of(2), leaf);
    lie("partition-closed-after-the-seal", "BROKEN_CHAIN", A, closedLater, leaf.step(0));
    Bytes begunLater = of(0, 2, open, leaf);
    lie("partition-begun-after-the-seal", "BROKEN_CHAIN", A, begunLater, leaf.step(0));
    Bytes backwards = of(0, 1, zero, leaf);
    lie("partition-closed-before-it-began", "BROKEN_CHAIN", A, backwards, leaf.step(0));
    Bytes good = partition(leaf, 1);
    Bytes type = Forge.replaceStart(good, "8606", "8604");
    lie("partition-of-type-4", "MALFORMED", A, type, leaf.step(0));
    Bytes longer = Forge.append(good, "00");
    lie("bytes-behind-a-partition", "MALFORMED", A, longer, leaf.step(0));
    number(good, leaf);
  }

  /// Two partitions of which the second has number 0: there cannot be one before it.
  private void number(Bytes partition, Node leaf) {
    SampleState log = sealed(ForgedForest.root(partition, partition));
    Bytes search = search(partition, leaf.step(0));
    Bytes proof = ForgedForest.lookup(log.lastLeaf(SIZE), A, 2, 1, search);
    set.refuse("INDEX_OUT_OF_RANGE", lookup("first-below-its-number", log, A, proof));
  }

  private static Bytes of(long number, long firstHeight, OptionalLong lastHeight, Node root) {
    return new StatePartition(number, firstHeight, lastHeight, 1, root.hash()).encode();
  }

  private void two(String name, String reason, Bytes older, Bytes newer) {
    SampleState log = sealed(ForgedForest.root(older, newer));
    Bytes step = leaf("a").step(0);
    Bytes proof =
        ForgedForest.lookup(log.lastLeaf(SIZE), M, 2, 0, search(older, step), search(newer, step));
    set.refuse(reason, lookup(name, log, M, proof));
  }

  private void ranges() {
    overlappingRange();
    Node twice = leaf(separators("a", ""), entry("a", 2), entry("a", 3));
    range("key-twice-in-a-range", "WRONG_KEY", twice, 2);
    Node unsorted = leaf(separators("m", ""), entry("z", 2), entry("m", 2));
    range("leaf-not-sorted-in-a-range", "WRONG_KEY", unsorted, 2);
    Node descending = leaf(separators("", "m", "a"), entry("z", 2), entry("m", 2), entry("a", 2));
    range("separators-descending-in-a-range", "MALFORMED", descending, 3);
    range("entry-count-in-a-range", "WRONG_SIZE", leaf("a"), 7);
    range(
        "tombstone-with-a-size-in-a-range",
        "MALFORMED",
        leaf(NONE, Bytes.fromHex("8604" + "4161" + "f4f6" + "0502")),
        1);
  }

  /// The left child has a separator that is behind its slot, where no record of it is shown.
  private void overlappingRange() {
    Node wide = leaf(separators("n", ""), entry("a", 2), entry("z", 2));
    Node root = inner(1, separators("m", ""), wide.child(2), leaf("m").child(1));
    Bytes partition = partition(root, 3);
    SampleState log = sealed(ForgedForest.root(partition));
    Bytes end = Bytes.utf8("b");
    Bytes node = root.range(0, List.of(wide.range(0, 1)), List.of(2L));
    Bytes proof = ForgedForest.range(log.lastLeaf(SIZE), Bytes.EMPTY, end, partition, node);
    set.refuse(
        "WRONG_KEY",
        ForestCases.range(
            "lying-children-overlap-in-a-range", log, SIZE, Bytes.EMPTY, Optional.of(end), proof));
  }

  private void range(String name, String reason, Node leaf, long entryCount) {
    Bytes partition = partition(leaf, entryCount);
    SampleState log = sealed(ForgedForest.root(partition));
    Bytes shown = leaf.range(0, leaf.records().size());
    Bytes proof = ForgedForest.range(log.lastLeaf(SIZE), Bytes.EMPTY, null, partition, shown);
    set.refuse(
        reason,
        ForestCases.range("lying-" + name, log, SIZE, Bytes.EMPTY, Optional.empty(), proof));
  }

  /// A partition whose tree is one node, which shows the record of a slot.
  private void lie(String name, String reason, Bytes key, Node root, int slot) {
    lie(name, reason, key, partition(root, root.records().size()), root.step(slot));
  }

  private void lie(String name, String reason, Bytes key, Bytes partition, Bytes... steps) {
    SampleState log = sealed(ForgedForest.root(partition));
    set.refuse(reason, lookup(name, log, key, proof(log, key, partition, steps)));
  }

  private static VectorCase lookup(String name, SampleState log, Bytes key, Bytes proof) {
    return ForestCases.lookup("lying-" + name, log, SIZE, key, proof);
  }

  private static Bytes proof(SampleState log, Bytes key, Bytes partition, Bytes... steps) {
    return ForgedForest.lookup(log.lastLeaf(SIZE), key, 1, 0, search(partition, steps));
  }

  /// A log of four leaves whose last seal has this root.
  private static SampleState sealed(Digest stateRoot) {
    return SampleState.found(SampleState.PARAMS, 0).append(List.of()).seal(stateRoot);
  }
}
