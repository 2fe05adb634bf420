package io.tallystick.testkit.vectors;

import static io.tallystick.testkit.vectors.ForgedForest.entry;
import static io.tallystick.testkit.vectors.ForgedForest.inner;
import static io.tallystick.testkit.vectors.ForgedForest.leaf;
import static io.tallystick.testkit.vectors.ForgedForest.partition;
import static io.tallystick.testkit.vectors.ForgedForest.separators;

import io.tallystick.merkle.forest.LookupTree;
import io.tallystick.merkle.forest.StateLookups;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.state.LookupsProof;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SampleState;
import io.tallystick.testkit.forest.ReferenceForest;
import io.tallystick.testkit.forest.ReferenceForestProofs;
import io.tallystick.testkit.vectors.ForgedForest.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/// Proofs of several keys of topic `forest`, in the state of two logs, and what claims to be one.
final class ForestLookupsVectors {
  private static final int SIZE = 8;
  private static final int LIE_SIZE = 4;

  /// Put in the newest partition; put in the older one; deleted in the newest; never written. Each
  /// meets another slot of the newest partition.
  private static final List<Bytes> KEYS =
      List.of(
          Bytes.wrap(new byte[1]), SampleState.key(7), SampleState.key(11), Bytes.utf8("never"));

  private final VectorSet set;
  private final SampleState log = SampleState.young();
  private final ReferenceForest forest = log.forest(SIZE);
  private final LookupsProof good = log.lookups(KEYS, SIZE);
  private final StateLookups all = good.lookups();
  private final List<List<Bytes>> sought = ReferenceForestProofs.soughtIn(forest, KEYS);

  ForestLookupsVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    answers();
    pages();
    keysLeftOut();
    partitions();
    nodes();
    encodings();
    lies();
  }

  // ---- good ones

  private void answers() {
    good("present-deleted-and-never-written", log, SIZE, KEYS);
    good("before-some-were-replaced", log, 6, KEYS);
    good("of-the-empty-forest", log, 2, KEYS);
    List<Bytes> newest = List.of(SampleState.key(5), SampleState.key(11));
    good("all-in-the-newest-partition", log, SIZE, newest);
    good("of-one-leaf", log, 4, List.of(SampleState.key(0), SampleState.key(1)));
    SampleState folded = SampleState.folded();
    good("of-many-partitions", folded, 24, sorted("cold", "cold too", "gone", "key 05", "key 62"));
    good("of-the-newest-of-many-partitions", folded, 24, sorted("key 60", "key 61", "key 62"));
    List<Bytes> many = new ArrayList<>();
    for (int i = 0; i < StateLookups.KEYS_MAX; i++) {
      many.add(Bytes.utf8(String.format(Locale.ROOT, "key %03d", i)));
    }
    good("of-a-thousand-keys", log, 6, many);
  }

  private static List<Bytes> sorted(String... keys) {
    TreeSet<Bytes> sorted = new TreeSet<>();
    for (String key : keys) {
      sorted.add(Bytes.utf8(key));
    }
    return List.copyOf(sorted);
  }

  private void pages() {
    List<Bytes> more = new ArrayList<>(KEYS);
    more.add(Bytes.utf8("zero"));
    set.accept(of("page-of-the-first-keys", more, good));
    bad("page-of-the-last-keys", "WRONG_KEY", KEYS, log.lookups(KEYS.subList(2, 4), SIZE));
    bad("page-without-a-key-between", "WRONG_KEY", KEYS, log.lookups(without(KEYS, 1), SIZE));
    bad("page-of-more-keys-than-asked-for", "WRONG_KEY", KEYS.subList(0, 3), good);
    bad("page-of-other-keys", "WRONG_KEY", sorted("a", "b", "c", "d"), good);
  }

  private static List<Bytes> without(List<Bytes> keys, int index) {
    List<Bytes> fewer = new ArrayList<>(keys);
    fewer.remove(index);
    return fewer;
  }

  // ---- attacks

  private void keysLeftOut() {
    List<Bytes> more = List.of(KEYS.get(1), KEYS.get(2), KEYS.get(3));
    bad("older-part-for-a-key-that-a-newer-one-holds", "WRONG_KEY", shown(List.of(more, KEYS)));
    bad(
        "older-part-for-a-key-that-the-newer-one-keeps-back",
        "WRONG_KEY",
        shown(List.of(more, without(KEYS, 2))));
    bad("key-dropped-in-the-newest-part", "WRONG_KEY", shown(with(1, without(KEYS, 3))));
    bad("key-dropped-in-an-older-part", "WRONG_KEY", shown(with(0, List.of(KEYS.get(1)))));
    bad("key-dropped-from-the-list", "WRONG_KEY", without(KEYS, 3), log(without(KEYS, 3), all));
    List<Bytes> extra = new ArrayList<>(KEYS);
    extra.add(Bytes.fromHex("ff"));
    bad("extra-slot", "WRONG_KEY", shown(with(1, extra)));
    bad("part-that-shows-nothing", "WRONG_KEY", shown(with(0, List.of())));
  }

  private List<List<Bytes>> with(int part, List<Bytes> keys) {
    List<List<Bytes>> shown = new ArrayList<>(sought);
    shown.set(part, keys);
    return shown;
  }

  private StateLookups shown(List<List<Bytes>> keys) {
    return ReferenceForestProofs.lookupsOf(forest, keys);
  }

  private void partitions() {
    List<Bytes> newest = List.of(SampleState.key(5), SampleState.key(11));
    bad("first-too-low", "WRONG_KEY", newest, log(newest, shown(List.of(newest, newest))));
    StateLookups empty = shown(List.of(List.of(), newest));
    bad("first-too-low-and-nothing-shown", "WRONG_KEY", newest, log(newest, empty));
    bad("first-too-high", "MISSING", shown(sought.subList(1, 2)));
    List<StateLookups.Part> parts = all.parts();
    bad(
        "last-part-missing",
        "INDEX_OUT_OF_RANGE",
        new StateLookups(2, 0, List.of(), parts.subList(0, 1)));
    bad(
        "last-part-missing-and-not-counted",
        "ROOT_MISMATCH",
        new StateLookups(1, 0, List.of(), parts.subList(0, 1)));
    bad("parts-swapped", "BROKEN_CHAIN", new StateLookups(2, 0, List.of(), parts.reversed()));
    bad("no-parts", "ROOT_MISMATCH", new StateLookups(0, 0, List.of(), List.of()));
    bad("root-beside-all-parts", "WRONG_PATH_LENGTH", roots(List.of(Digest.ZERO)));
    bad("old-forest-under-the-newest-seal", "ROOT_MISMATCH", log.lookups(KEYS, 6).lookups());
    bad("old-seal-shown-as-newest", "WRONG_JSN", KEYS, log.lookups(KEYS, 6));
    SampleState other = SampleState.young(Fixtures.ledger(Fixtures.TIME_MS + 1), 0);
    bad("state-of-another-ledger", "ROOT_MISMATCH", KEYS, other.lookups(KEYS, SIZE));
    bad("count-of-65536", "SIZE_OUT_OF_RANGE", new StateLookups(65_536, 65_534, List.of(), parts));
  }

  private StateLookups roots(List<Digest> roots) {
    return new StateLookups(2, 0, roots, all.parts());
  }

  private void nodes() {
    LookupTree root = all.parts().get(1).tree();
    LookupTree leaf = ((LookupTree.ChildItem) root.records().getLast()).tree();
    List<LookupTree.Item> shown = leaf.records();
    List<Digest> more = HashList.with(leaf.outside(), 0, Digest.ZERO);
    bad("root-for-an-entry-that-is-shown", "WRONG_KEY", newestLeaf(1, List.of(), more));
    malformed("more-outside-roots-than-records-left", KEYS, log(KEYS, newestLeaf(1, shown, more)));
    StateLookups.Part older = all.parts().getFirst();
    StateLookups.Part longer = new StateLookups.Part(older.partition(), longer(older.tree()));
    bad(
        "outside-root-more",
        "WRONG_PATH_LENGTH",
        new StateLookups(2, 0, List.of(), List.of(longer, all.parts().getLast())));
    bad("outside-root-less", "WRONG_PATH_LENGTH", newestLeaf(1, shown, List.of()));
    List<Digest> flipped = HashList.flipped(leaf.outside(), 0);
    bad("outside-root-with-a-flipped-bit", "ROOT_MISMATCH", newestLeaf(1, shown, flipped));
    Bytes entry = ((LookupTree.EntryItem) shown.getFirst()).encoded();
    LookupTree.Item changed = new LookupTree.EntryItem(Forge.flipBit(entry, entry.size() - 1));
    bad("entry-changed", "ROOT_MISMATCH", newestLeaf(1, List.of(changed), leaf.outside()));
    bad("entry-twice", "WRONG_KEY", newestLeaf(1, List.of(changed, changed), List.of()));
    LookupTree.ChildItem first = (LookupTree.ChildItem) root.records().getFirst();
    List<LookupTree.Item> swapped = first.tree().records().reversed();
    bad("entries-swapped", "WRONG_KEY", newestLeaf(0, swapped, first.tree().outside()));
    List<LookupTree.Item> one = List.of(first);
    Digest hidden = Digest.ZERO;
    LookupTree half = new LookupTree(1, root.separators(), one, List.of(hidden));
    bad("root-for-a-subtree-that-is-shown", "WRONG_KEY", newest(half));
    LookupTree.ChildItem counted = new LookupTree.ChildItem(first.entryCount() + 1, first.tree());
    LookupTree.Item last = root.records().getLast();
    LookupTree miscounted =
        new LookupTree(1, root.separators(), List.of(counted, last), root.outside());
    bad("entry-count-changed", "WRONG_SIZE", newest(miscounted));
    bad(
        "children-swapped",
        "WRONG_KEY",
        newest(new LookupTree(1, root.separators(), root.records().reversed(), root.outside())));
    bad(
        "child-two-levels-lower",
        "MALFORMED",
        newest(new LookupTree(2, root.separators(), root.records(), root.outside())));
  }

  /// The first leaf shown has a root more.
  private static LookupTree longer(LookupTree tree) {
    if (tree.records().getFirst() instanceof LookupTree.ChildItem child) {
      List<LookupTree.Item> items = new ArrayList<>(tree.records());
      items.set(0, new LookupTree.ChildItem(child.entryCount(), longer(child.tree())));
      return new LookupTree(tree.level(), tree.separators(), items, tree.outside());
    }
    List<Digest> more = HashList.with(tree.outside(), 0, Digest.ZERO);
    return new LookupTree(0, tree.separators(), tree.records(), more);
  }

  /// A leaf of the newest partition is another.
  private StateLookups newestLeaf(int slot, List<LookupTree.Item> records, List<Digest> outside) {
    LookupTree root = all.parts().get(1).tree();
    LookupTree.ChildItem child = (LookupTree.ChildItem) root.records().get(slot);
    List<LookupTree.Item> items = new ArrayList<>(root.records());
    LookupTree leaf = new LookupTree(0, child.tree().separators(), records, outside);
    items.set(slot, new LookupTree.ChildItem(child.entryCount(), leaf));
    return newest(new LookupTree(1, root.separators(), items, root.outside()));
  }

  private StateLookups newest(LookupTree root) {
    Bytes partition = all.parts().get(1).partition();
    StateLookups.Part part = new StateLookups.Part(partition, root);
    return new StateLookups(2, 0, List.of(), List.of(all.parts().get(0), part));
  }

  private void encodings() {
    Bytes encoded = good.encode();
    malformed("type-30", Forge.replaceStart(encoded, "881821", "88181e"));
    malformed("nine-items", Forge.replaceStart(encoded, "881821", "891821"));
    malformed("bytes-left-over", Forge.append(encoded, "00"));
    malformed("cut", encoded.slice(0, encoded.size() - 1));
    List<Bytes> one = KEYS.subList(0, 1);
    malformed("one-key", one, log.lookups(one, SIZE));
    malformed("no-keys", List.of(), log(List.of(), all));
    malformed("keys-descending", KEYS.reversed(), log(KEYS.reversed(), all));
    List<Bytes> twice = List.of(KEYS.get(1), KEYS.get(1));
    malformed("a-key-twice", twice, log(twice, all));
    List<Bytes> empty = List.of(Bytes.EMPTY, KEYS.get(1));
    malformed("an-empty-key", empty, log(empty, all));
    List<Bytes> longer = List.of(KEYS.get(1), Bytes.utf8("l".repeat(257)));
    malformed("a-key-of-257-bytes", longer, log(longer, all));
    List<Bytes> many = new ArrayList<>();
    for (int i = 0; i <= StateLookups.KEYS_MAX; i++) {
      many.add(Bytes.utf8(String.format(Locale.ROOT, "key %04d", i)));
    }
    malformed("a-thousand-and-one-keys", many, log.lookups(many, 2));
    LookupTree.Item huge = new LookupTree.EntryItem(Bytes.wrap(new byte[513]));
    malformed("entry-of-513-bytes", KEYS, log(KEYS, newestLeaf(1, List.of(huge), List.of())));
  }

  // ---- lies of a service that signed their roots

  /// What the lies are made of is accepted where it is no lie.
  private void lies() {
    Node two = leaf(separators("m", ""), entry("a", 2), entry("m", 2));
    Node root = inner(1, separators("t", ""), two.child(2), leaf("t").child(1));
    Bytes tree = root.tree(List.of(0, 1), List.of(two.tree(0, 1), leaf("t").tree(0)), 2, 1);
    List<Bytes> three = sorted("a", "m", "z");
    set.accept(lie("honest-like-the-lying-ones", three, partition(root, 3), tree));
    Node unsorted = leaf(separators("", "a", "b"), entry("m", 2), entry("b", 2), entry("a", 2));
    lie("leaf-not-sorted", "WRONG_KEY", unsorted, 1, 2);
    Node descending = leaf(separators("", "m", "a"), entry("z", 2), entry("m", 2), entry("a", 2));
    lie("separators-descending", "MALFORMED", descending, 1, 2);
    Node twice = leaf(separators("a", ""), entry("a", 2), entry("a", 3));
    lie("key-twice-the-older-shown", "ROOT_MISMATCH", twice, 0);
    Node hidden = leaf(separators("m", ""), entry("m", 2), entry("a", 2));
    lie("key-hidden-in-the-wrong-slot", "WRONG_KEY", hidden, 0);
    Node wide = leaf(separators("n", ""), entry("a", 2), entry("z", 2));
    Node over = inner(1, separators("m", ""), wide.child(2), leaf("m").child(1));
    Bytes overlap = over.tree(List.of(0), List.of(wide.tree(0)), 2);
    refuse("children-overlap", "WRONG_KEY", partition(over, 3), overlap);
    Node one = leaf("a");
    refuse("entry-count", "WRONG_SIZE", partition(one, 7), one.tree(0));
    Node entries = inner(1, separators("m", ""), entry("a", 2), entry("m", 2));
    refuse("inner-node-of-entries", "MALFORMED", partition(entries, 2), entries.tree(0));
    Node children = leaf(separators("m", ""), leaf("a").child(1), leaf("m").child(1));
    refuse("leaf-of-children", "MALFORMED", partition(children, 2), children.tree(0));
    Bytes sized = Bytes.fromHex("8604" + "4161" + "f4f6" + "0502");
    Node tombstone = leaf(separators(""), sized);
    refuse("tombstone-with-a-size", "MALFORMED", partition(tombstone, 1), tombstone.tree(0));
  }

  /// A partition whose tree is one leaf, which shows these slots.
  private void lie(String name, String reason, Node leaf, int... slots) {
    refuse(name, reason, partition(leaf, leaf.records().size()), leaf.tree(slots));
  }

  private void refuse(String name, String reason, Bytes partition, Bytes tree) {
    set.refuse(reason, lie("lying-" + name, sorted("a", "b"), partition, tree));
  }

  private static VectorCase lie(String name, List<Bytes> keys, Bytes partition, Bytes tree) {
    SampleState log =
        SampleState.found(SampleState.PARAMS, 0)
            .append(List.of())
            .seal(ForgedForest.root(partition));
    Bytes proof = ForgedForest.lookups(log.lastLeaf(LIE_SIZE), keys, partition, tree);
    return ForestCases.lookups(name, log, LIE_SIZE, keys, proof);
  }

  // ---- of the young log

  private LookupsProof log(List<Bytes> keys, StateLookups lookups) {
    return log.lookups(keys, SIZE, lookups);
  }

  private void good(String name, SampleState of, int size, List<Bytes> keys) {
    set.accept(ForestCases.lookups(name, of, size, keys, of.lookups(keys, size).encode()));
  }

  private VectorCase of(String name, List<Bytes> wanted, LookupsProof proof) {
    return ForestCases.lookups(name, log, SIZE, wanted, proof.encode());
  }

  private void bad(String name, String reason, StateLookups lookups) {
    bad(name, reason, KEYS, log(KEYS, lookups));
  }

  private void bad(String name, String reason, List<Bytes> wanted, LookupsProof proof) {
    set.refuse(reason, of(name, wanted, proof));
  }

  private void malformed(String name, Bytes proof) {
    set.refuse("MALFORMED", ForestCases.lookups(name, log, SIZE, KEYS, proof));
  }

  private void malformed(String name, List<Bytes> wanted, LookupsProof proof) {
    set.refuse("MALFORMED", of(name, wanted, proof));
  }
}
