package io.tallystick.testkit.vectors;

import io.tallystick.head.LastSeal;
import io.tallystick.merkle.forest.PartitionSearch;
import io.tallystick.merkle.forest.Separators;
import io.tallystick.merkle.forest.StateLookup;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.state.LookupProof;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SampleState;
import io.tallystick.testkit.forest.ReferenceForestProofs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Lookups of topic `forest` in the state of two logs, and what claims to be one. Under seals that
/// tell the truth; others are {@link ForestLieVectors}.
final class ForestLookupVectors {
  private static final int SIZE = 8;
  private static final Bytes OLD = SampleState.key(2);
  private static final Bytes REPLACED = SampleState.key(5);
  private static final Bytes DELETED = SampleState.key(11);
  private static final Bytes NEVER = Bytes.utf8("key 111");

  private final VectorSet set;
  private final SampleState log = SampleState.young();
  private final SampleState folded = SampleState.folded();

  /// A search of three steps in partition 0, and one of two in partition 1, which is the newest.
  private final LookupProof old = log.lookup(OLD, SIZE);

  ForestLookupVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    answers();
    otherPartitions();
    otherSeals();
    changedSteps();
    levels();
    counts();
    encodings();
  }

  private void answers() {
    good("value-in-the-newest-partition", log, SIZE, SampleState.key(30));
    good("value-in-an-older-partition", log, SIZE, OLD);
    good("value-written-twice", log, SIZE, REPLACED);
    good("value-before-it-was-replaced", log, 6, REPLACED);
    good("value-in-the-only-partition", log, 4, SampleState.key(19));
    good("deleted-in-the-newest-partition", log, SIZE, DELETED);
    good("deleted-in-an-older-partition", log, SIZE, SampleState.key(3));
    good("never-written", log, SIZE, NEVER);
    good("never-written-below-all-keys-of-a-partition", log, 6, Bytes.wrap(new byte[1]));
    good("never-written-in-the-only-partition", log, 4, NEVER);
    good("never-written-in-the-empty-forest", log, 2, REPLACED);
    good("key-of-a-zero-byte", log, SIZE, Bytes.wrap(new byte[1]));
    byte[] longest = new byte[256];
    Arrays.fill(longest, (byte) 0xff);
    good("key-of-256-bytes", log, SIZE, Bytes.wrap(longest));
    good("absent-after-its-tombstone-was-dropped", folded, 24, Bytes.utf8("gone"));
    good("deleted-while-its-tombstone-is-there", folded, 18, Bytes.utf8("gone"));
    good("absent-in-many-partitions", folded, 24, NEVER);
    good("value-carried-over-by-the-fold", folded, 24, Bytes.utf8("cold"));
    good("value-carried-over-while-the-original-is-there", folded, 24, Bytes.utf8("cold too"));
    good("value-in-many-partitions", folded, 24, SampleState.key(62));
  }

  private void otherPartitions() {
    StateLookup both = lookup(REPLACED, 0);
    bad("newest-partition-left-out", "ROOT_MISMATCH", REPLACED, shown(1, 0, both, 0));
    bad("newest-partition-not-searched", "INDEX_OUT_OF_RANGE", REPLACED, shown(2, 0, both, 0));
    bad("newest-partition-twice", "BROKEN_CHAIN", REPLACED, shown(2, 0, both, 1, 1));
    bad("partitions-swapped", "BROKEN_CHAIN", REPLACED, shown(2, 0, both, 1, 0));
    bad("replaced-value-shown-as-current", "WRONG_KEY", REPLACED, both);
    bad("deleted-key-shown-by-its-older-value", "WRONG_KEY", DELETED, lookup(DELETED, 0));
    bad("older-partition-not-searched", "MISSING", NEVER, lookup(NEVER, 1));
    bad("absence-claimed-of-an-older-value", "MISSING", OLD, lookup(OLD, 1));
    bad("empty-forest-claimed", "ROOT_MISMATCH", OLD, new StateLookup(0, 0, List.of(), List.of()));
    Bytes cold = Bytes.utf8("cold too");
    set.refuse(
        "WRONG_KEY",
        ForestCases.lookup(
            "original-of-a-carried-value-shown-as-current",
            folded,
            24,
            cold,
            folded
                .lookup(cold, 24, ReferenceForestProofs.lookup(folded.forest(24), cold, 0))
                .encode()));
  }

  private StateLookup lookup(Bytes key, int first) {
    return ReferenceForestProofs.lookup(log.forest(SIZE), key, first);
  }

  private static StateLookup shown(long count, long first, StateLookup of, int... searches) {
    List<PartitionSearch> some = new ArrayList<>();
    Arrays.stream(searches).forEach(index -> some.add(of.searches().get(index)));
    return new StateLookup(count, first, of.roots(), some);
  }

  private void otherSeals() {
    bad("old-seal-shown-as-newest", "WRONG_JSN", REPLACED, log.lookup(REPLACED, 6));
    bad(
        "old-forest-under-the-newest-seal",
        "ROOT_MISMATCH",
        REPLACED,
        log.lookup(REPLACED, 6).lookup());
    SampleState sameLedger = SampleState.young(Fixtures.ledger(), 100);
    bad("seal-of-another-log", "ROOT_MISMATCH", OLD, sameLedger.lookup(OLD, SIZE));
    bad("forest-of-another-log", "ROOT_MISMATCH", OLD, sameLedger.lookup(OLD, SIZE).lookup());
    SampleState other = SampleState.young(Fixtures.ledger(Fixtures.TIME_MS + 1), 0);
    bad("state-of-another-ledger", "ROOT_MISMATCH", OLD, other.lookup(OLD, SIZE));
    List<Digest> path = old.seal().path();
    bad("journal-for-a-seal", "WRONG_TYPE", OLD, with(new LastSeal(log.leaf(6), path)));
    bad("seal-empty", "MALFORMED", OLD, with(new LastSeal(Bytes.EMPTY, path)));
    Bytes seal = old.seal().seal();
    bad("path-empty", "WRONG_PATH_LENGTH", OLD, with(new LastSeal(seal, List.of())));
    LastSeal bent = new LastSeal(seal, HashList.flipped(path, 0));
    bad("path-with-a-flipped-bit", "ROOT_MISMATCH", OLD, with(bent));
    bad("proof-of-another-key", "WRONG_KEY", OLD, log.lookup(SampleState.key(1), SIZE));
    StateLookup others = log.lookup(SampleState.key(20), SIZE).lookup();
    bad("search-of-another-key", "WRONG_PATH_LENGTH", OLD, others);
  }

  private LookupProof with(LastSeal seal) {
    return new LookupProof(seal, OLD, old.lookup());
  }

  private void changedSteps() {
    PartitionSearch.Step top = step(0);
    PartitionSearch.Step leaf = step(2);
    bad("separator-moved", "ROOT_MISMATCH", OLD, replaced(2, moved(leaf, leaf)));
    bad("separator-of-an-inner-node-moved", "ROOT_MISMATCH", OLD, replaced(0, moved(top, leaf)));
    PartitionSearch.Step neighbour =
        log.lookup(SampleState.key(1), SIZE).lookup().searches().getFirst().steps().get(2);
    bad(
        "neighbours-record-at-this-index",
        "ROOT_MISMATCH",
        OLD,
        replaced(2, record(leaf, neighbour.record())));
    bad("neighbours-record-with-its-path", "ROOT_MISMATCH", OLD, replaced(2, neighbour));
    Bytes changed = Forge.flipBit(leaf.record(), leaf.record().size() - 1);
    bad("entry-changed", "ROOT_MISMATCH", OLD, replaced(2, record(leaf, changed)));
    Bytes child = Forge.flipBit(top.record(), top.record().size() - 1);
    bad("entry-count-of-a-child-changed", "ROOT_MISMATCH", OLD, replaced(0, record(top, child)));
    List<Digest> shorter = HashList.without(leaf.path(), 0);
    bad("record-path-cut", "WRONG_PATH_LENGTH", OLD, replaced(2, path(leaf, shorter)));
    List<Digest> longer = HashList.with(leaf.path(), 0, Digest.ZERO);
    bad("record-path-with-a-hash-more", "WRONG_PATH_LENGTH", OLD, replaced(2, path(leaf, longer)));
    List<Digest> flipped = HashList.flipped(leaf.path(), 0);
    bad("record-path-with-a-flipped-bit", "ROOT_MISMATCH", OLD, replaced(2, path(leaf, flipped)));
    bad("step-of-another-leaf", "WRONG_KEY", OLD, replaced(2, stepOf(SampleState.key(20))));
  }

  private PartitionSearch.Step stepOf(Bytes key) {
    return log.lookup(key, SIZE).lookup().searches().getFirst().steps().get(2);
  }

  private PartitionSearch.Step step(int index) {
    return old.lookup().searches().getFirst().steps().get(index);
  }

  /// The first separator is made longer, so that another key would be the first right of it.
  private static PartitionSearch.Step moved(PartitionSearch.Step step, PartitionSearch.Step from) {
    List<Bytes> values = new ArrayList<>(step.separators().values());
    values.set(0, Forge.append(from.separators().values().getFirst(), "00"));
    return new PartitionSearch.Step(
        step.level(), new Separators(values), step.record(), step.path());
  }

  private static PartitionSearch.Step record(PartitionSearch.Step step, Bytes record) {
    return new PartitionSearch.Step(step.level(), step.separators(), record, step.path());
  }

  private static PartitionSearch.Step path(PartitionSearch.Step step, List<Digest> path) {
    return new PartitionSearch.Step(step.level(), step.separators(), step.record(), path);
  }

  private StateLookup replaced(int index, PartitionSearch.Step step) {
    List<PartitionSearch.Step> steps = new ArrayList<>(firstSteps());
    steps.set(index, step);
    return steps(steps);
  }

  private List<PartitionSearch.Step> firstSteps() {
    return old.lookup().searches().getFirst().steps();
  }

  private StateLookup steps(List<PartitionSearch.Step> steps) {
    List<PartitionSearch> searches = new ArrayList<>(old.lookup().searches());
    searches.set(0, new PartitionSearch(searches.getFirst().partition(), steps));
    return new StateLookup(2, 0, List.of(), searches);
  }

  private void levels() {
    List<PartitionSearch.Step> all = firstSteps();
    bad("inner-node-shown-as-a-leaf", "ROOT_MISMATCH", OLD, steps(List.of(level(all.get(0), 0))));
    bad("leaf-left-out", "WRONG_PATH_LENGTH", OLD, steps(all.subList(0, 2)));
    bad("level-skipped", "WRONG_PATH_LENGTH", OLD, steps(List.of(all.get(0), all.get(2))));
    List<PartitionSearch.Step> anew = List.of(level(all.get(0), 1), all.get(2));
    bad("level-skipped-and-numbered-anew", "ROOT_MISMATCH", OLD, steps(anew));
    bad("no-steps", "WRONG_PATH_LENGTH", OLD, steps(List.of()));
    List<PartitionSearch.Step> twice = List.of(all.get(0), all.get(1), all.get(1), all.get(2));
    bad("step-twice", "WRONG_PATH_LENGTH", OLD, steps(twice));
  }

  private static PartitionSearch.Step level(PartitionSearch.Step step, int level) {
    return new PartitionSearch.Step(level, step.separators(), step.record(), step.path());
  }

  private void counts() {
    List<PartitionSearch> searches = old.lookup().searches();
    bad("huge-count", "SIZE_OUT_OF_RANGE", OLD, new StateLookup(65_536, 0, List.of(), searches));
    bad(
        "first-behind-the-last",
        "INDEX_OUT_OF_RANGE",
        OLD,
        new StateLookup(2, 2, List.of(), List.of()));
    bad(
        "first-of-no-partition",
        "INDEX_OUT_OF_RANGE",
        OLD,
        new StateLookup(0, 1, List.of(), List.of()));
    bad("a-search-more", "INDEX_OUT_OF_RANGE", OLD, new StateLookup(1, 0, List.of(), searches));
    List<Digest> hash = List.of(Digest.ZERO);
    bad("root-left-of-the-first", "WRONG_PATH_LENGTH", OLD, new StateLookup(2, 0, hash, searches));
    StateLookup newest = log.lookup(REPLACED, SIZE).lookup();
    StateLookup bare = new StateLookup(2, 1, List.of(), newest.searches());
    bad("roots-left-out", "WRONG_PATH_LENGTH", REPLACED, bare);
    StateLookup bent =
        new StateLookup(2, 1, HashList.flipped(newest.roots(), 0), newest.searches());
    bad("root-with-a-flipped-bit", "ROOT_MISMATCH", REPLACED, bent);
    set.refuse(
        "WRONG_PATH_LENGTH",
        ForestCases.lookup(
            "root-beside-no-partition",
            log,
            2,
            OLD,
            log.lookup(OLD, 2, new StateLookup(0, 0, hash, List.of())).encode()));
  }

  private void encodings() {
    Bytes good = old.encode();
    malformed("type-31", Forge.replaceStart(good, "88181e", "88181f"));
    malformed("seven-items", Forge.replaceStart(good, "88181e", "87181e"));
    malformed("bytes-left-over", Forge.append(good, "00"));
    malformed("cut", good.slice(0, good.size() - 1));
    malformed("record-of-513-bytes", log.lookup(OLD, SIZE, longRecord()).encode());
  }

  private StateLookup longRecord() {
    return replaced(2, record(step(2), Bytes.wrap(new byte[513])));
  }

  private void malformed(String name, Bytes proof) {
    set.refuse("MALFORMED", ForestCases.lookup(name, log, SIZE, OLD, proof));
  }

  private void good(String name, SampleState of, int size, Bytes key) {
    set.accept(ForestCases.lookup(name, of, size, key, of.lookup(key, size).encode()));
  }

  private void bad(String name, String reason, Bytes key, StateLookup lookup) {
    bad(name, reason, key, log.lookup(key, SIZE, lookup));
  }

  private void bad(String name, String reason, Bytes key, LookupProof proof) {
    set.refuse(reason, ForestCases.lookup(name, log, SIZE, key, proof.encode()));
  }
}
