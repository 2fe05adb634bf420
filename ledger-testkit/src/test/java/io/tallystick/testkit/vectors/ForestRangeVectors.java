package io.tallystick.testkit.vectors;

import io.tallystick.merkle.forest.RangeNode;
import io.tallystick.merkle.forest.StateRange;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.state.RangeOfState;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SampleState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Ranges of topic `forest` in the state of two logs, and what claims to be one.
final class ForestRangeVectors {
  private static final int SIZE = 8;
  private static final Bytes FROM = SampleState.key(2);
  private static final Optional<Bytes> TO = Optional.of(SampleState.key(12));
  private static final Optional<Bytes> NO_END = Optional.empty();

  private final VectorSet set;
  private final SampleState log = SampleState.young();
  private final RangeOfState good = log.range(FROM, TO, SIZE);
  private final StateRange whole = good.range();

  ForestRangeVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    answers();
    pages();
    partitions();
    nodes();
    encodings();
  }

  private void answers() {
    good("all-keys", log, SIZE, Bytes.EMPTY, NO_END);
    good("some-keys-of-two-partitions", log, SIZE, FROM, TO);
    good("some-keys-before-they-were-replaced", log, 6, FROM, TO);
    good("keys-of-one-partition", log, 4, FROM, TO);
    good("from-a-key-on", log, SIZE, SampleState.key(22), NO_END);
    good("no-keys", log, SIZE, Bytes.utf8("l"), Optional.of(Bytes.utf8("m")));
    good("a-deleted-key-alone", log, SIZE, SampleState.key(11), Optional.of(SampleState.key(12)));
    good("no-keys-of-the-empty-forest", log, 2, Bytes.EMPTY, NO_END);
    Bytes longest = longest();
    good("behind-the-last-key", log, SIZE, Forge.append(longest, "00"), NO_END);
    good("the-longest-key", log, SIZE, longest, Optional.of(Forge.append(longest, "00")));
    good("some-keys-of-many-partitions", SampleState.folded(), 24, FROM, TO);
    good("carried-over-by-the-fold", SampleState.folded(), 24, Bytes.utf8("c"), Optional.of(FROM));
  }

  private static Bytes longest() {
    byte[] longest = new byte[256];
    Arrays.fill(longest, (byte) 0xff);
    return Bytes.wrap(longest);
  }

  private void pages() {
    RangeOfState page = log.range(FROM, Optional.of(Bytes.utf8("key 12\0")), SIZE);
    set.accept(ForestCases.range("page-cut-early", log, SIZE, FROM, NO_END, page.encode()));
    Optional<Bytes> wanted = Optional.of(SampleState.key(20));
    set.accept(
        ForestCases.range("page-cut-early-of-a-range", log, SIZE, FROM, wanted, page.encode()));
    set.refuse(
        "WRONG_KEY", ForestCases.range("page-behind-the-end", log, SIZE, FROM, TO, page.encode()));
    Bytes open = log.range(FROM, NO_END, SIZE).encode();
    set.refuse("WRONG_KEY", ForestCases.range("page-without-the-end", log, SIZE, FROM, TO, open));
    Bytes later = SampleState.key(3);
    set.refuse(
        "WRONG_KEY",
        ForestCases.range(
            "page-from-a-later-key", log, SIZE, FROM, TO, log.range(later, TO, SIZE).encode()));
    noKeys("to-is-from", Bytes.utf8("key 02!"));
    noKeys("to-below-from", Bytes.utf8("key 02 "));
  }

  /// A range that ends where it begins, or before; both ends have the same slots.
  private void noKeys(String name, Bytes to) {
    Bytes from = Bytes.utf8("key 02!");
    Optional<Bytes> end = Optional.of(to);
    Bytes proof = log.range(from, end, SIZE).encode();
    set.refuse("WRONG_KEY", ForestCases.range(name, log, SIZE, from, end, proof));
  }

  private void partitions() {
    StateRange shorter = log.range(FROM, Optional.of(SampleState.key(6)), SIZE).range();
    bad("cut-earlier-in-the-older-partition", "WRONG_KEY", mixed(shorter, whole));
    bad("cut-earlier-in-the-newer-partition", "WRONG_KEY", mixed(whole, shorter));
    StateRange later = log.range(SampleState.key(6), TO, SIZE).range();
    bad("begun-later-in-one-partition", "WRONG_KEY", mixed(later, whole));
    List<StateRange.Part> parts = whole.partitions();
    bad("newest-partition-left-out", "ROOT_MISMATCH", new StateRange(parts.subList(0, 1)));
    bad("partitions-swapped", "BROKEN_CHAIN", new StateRange(parts.reversed()));
    bad("older-partition-left-out", "ROOT_MISMATCH", new StateRange(parts.subList(1, 2)));
    bad("no-partitions", "ROOT_MISMATCH", new StateRange(List.of()));
    bad("old-forest-under-the-newest-seal", "ROOT_MISMATCH", log.range(FROM, TO, 6).range());
    bad("old-seal-shown-as-newest", "WRONG_JSN", log.range(FROM, TO, 6));
    SampleState other = SampleState.young(Fixtures.ledger(Fixtures.TIME_MS + 1), 0);
    bad("state-of-another-ledger", "ROOT_MISMATCH", other.range(FROM, TO, SIZE));
  }

  private static StateRange mixed(StateRange older, StateRange newer) {
    return new StateRange(List.of(older.partitions().get(0), newer.partitions().get(1)));
  }

  private void nodes() {
    // Partition 1 is an inner node over two leaves.
    RangeNode root = whole.partitions().get(1).node();
    RangeNode.ChildItem child = (RangeNode.ChildItem) root.records().getFirst();
    RangeNode leaf = child.node();
    List<RangeNode.Item> records = leaf.records();
    leaf(
        "last-entry-left-out", "WRONG_KEY", items(leaf, 0, records.subList(0, records.size() - 1)));
    leaf("first-entry-left-out", "WRONG_KEY", items(leaf, 1, records.subList(1, records.size())));
    leaf("no-entries", "WRONG_KEY", items(leaf, 0, List.of()));
    leaf("entry-changed", "ROOT_MISMATCH", items(leaf, leaf.slot(), changed(records)));
    leaf("roots-left-out", "WRONG_PATH_LENGTH", roots(leaf, List.of()));
    List<Digest> longer = HashList.with(leaf.roots(), 0, Digest.ZERO);
    leaf("root-more", "WRONG_PATH_LENGTH", roots(leaf, longer));
    leaf(
        "root-with-a-flipped-bit", "ROOT_MISMATCH", roots(leaf, HashList.flipped(leaf.roots(), 0)));
    bad(
        "entry-count-changed",
        "WRONG_SIZE",
        newest(root, new RangeNode.ChildItem(child.entryCount() + 1, leaf)));
    RangeNode wide = log.range(Bytes.EMPTY, TO, SIZE).range().partitions().get(1).node();
    RangeNode earlier =
        log.range(Bytes.wrap(new byte[1]), Optional.of(SampleState.key(6)), SIZE)
            .range()
            .partitions()
            .get(1)
            .node();
    bad("as-many-slots-before-the-range", "WRONG_KEY", newest(earlier));
    bad("more-slots-than-the-range-meets", "WRONG_KEY", newest(wide));
    RangeNode high = new RangeNode(2, root.separators(), root.slot(), root.records(), root.roots());
    bad("child-two-levels-lower", "MALFORMED", newest(high));
  }

  private static List<RangeNode.Item> changed(List<RangeNode.Item> records) {
    List<RangeNode.Item> changed = new ArrayList<>(records);
    Bytes entry = ((RangeNode.EntryItem) records.getLast()).encoded();
    changed.set(
        records.size() - 1, new RangeNode.EntryItem(Forge.flipBit(entry, entry.size() - 1)));
    return changed;
  }

  private static RangeNode items(RangeNode node, int slot, List<RangeNode.Item> records) {
    return new RangeNode(node.level(), node.separators(), slot, records, node.roots());
  }

  private static RangeNode roots(RangeNode node, List<Digest> roots) {
    return new RangeNode(node.level(), node.separators(), node.slot(), node.records(), roots);
  }

  /// The first leaf shown of the newest partition is another.
  private void leaf(String name, String reason, RangeNode leaf) {
    RangeNode root = whole.partitions().get(1).node();
    long entryCount = ((RangeNode.ChildItem) root.records().getFirst()).entryCount();
    bad(name, reason, newest(root, new RangeNode.ChildItem(entryCount, leaf)));
  }

  private StateRange newest(RangeNode root, RangeNode.Item first) {
    List<RangeNode.Item> records = new ArrayList<>(root.records());
    records.set(0, first);
    return newest(items(root, root.slot(), records));
  }

  private StateRange newest(RangeNode root) {
    StateRange.Part part = whole.partitions().get(1);
    return new StateRange(
        List.of(whole.partitions().get(0), new StateRange.Part(part.partition(), root)));
  }

  private void encodings() {
    Bytes encoded = good.encode();
    malformed("type-30", Forge.replaceStart(encoded, "87181f", "87181e"));
    malformed("eight-items", Forge.replaceStart(encoded, "87181f", "88181f"));
    malformed("bytes-left-over", Forge.append(encoded, "00"));
    malformed("cut", encoded.slice(0, encoded.size() - 1));
    Bytes end = Bytes.wrap(new byte[258]);
    malformed("end-of-258-bytes", log.range(FROM, Optional.of(end), SIZE, whole).encode());
    // Count and length of the list of partitions are two numbers.
    String from = "46" + FROM.hex() + "46" + SampleState.key(12).hex();
    malformed("count-of-another-list", Forge.replace(encoded, from + "0282", from + "0382"));
    String huge = "1a00010000" + "9a00010000";
    malformed("huge-count", Forge.replace(encoded, from + "0282", from + huge));
  }

  private void malformed(String name, Bytes proof) {
    set.refuse("MALFORMED", ForestCases.range(name, log, SIZE, FROM, TO, proof));
  }

  private void good(String name, SampleState of, int size, Bytes from, Optional<Bytes> to) {
    Bytes proof = of.range(from, to, size).encode();
    set.accept(ForestCases.range(name, of, size, from, to, proof));
  }

  private void bad(String name, String reason, StateRange range) {
    bad(name, reason, log.range(FROM, TO, SIZE, range));
  }

  private void bad(String name, String reason, RangeOfState proof) {
    set.refuse(reason, ForestCases.range(name, log, SIZE, FROM, TO, proof.encode()));
  }
}
