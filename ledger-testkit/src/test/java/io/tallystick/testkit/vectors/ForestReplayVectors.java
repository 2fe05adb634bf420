package io.tallystick.testkit.vectors;

import static io.tallystick.testkit.vectors.ForestBlocks.commit;
import static io.tallystick.testkit.vectors.ForestBlocks.delete;
import static io.tallystick.testkit.vectors.ForestBlocks.put;

import io.tallystick.journal.Op;
import io.tallystick.journal.Precondition;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.testkit.forest.ReferenceForest.Carrying;
import io.tallystick.testkit.vectors.ForestBlocks.Tampering;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/// Topic `forest-replay`: blocks of operations, and state roots that follow from them or do not. An
/// auditor must find the latter, a verifier of proofs cannot.
final class ForestReplayVectors {
  private static final StateParams PARAMS = new StateParams(8, 1, 4, 4, 1);
  private static final Tampering NONE = (height, writes) -> writes;
  private static final int RANDOM_BLOCKS = 80;

  private final VectorSet set;

  ForestReplayVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    right();
    random("random-of-small-partitions", 1, new StateParams(4, 1, 4, 4, 1), 3);
    random("random-of-larger-partitions", 2, new StateParams(16, 1, 5, 7, 1), 1);
    random("random-of-large-nodes", 3, new StateParams(12, 1, 12, 4, 1), 1);
    preconditions();
    ignoredPreconditions();
    writes();
    folds();
    shapes();
  }

  private void right() {
    right("one-block", new ForestBlocks(PARAMS).block(put("a", "1"), put("b", "2"), delete("c")));
    right("the-last-operation-on-a-key-counts", twice());
    right("blocks-without-operations-do-not-fold", withEmptyBlocks());
    right("fold", folding());
    right("a-pass-waits-until-the-forest-has-doubled", growing());
    ForestBlocks large = new ForestBlocks(PARAMS);
    List<Op> ops = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      ops.add(put(String.format(Locale.ROOT, "%02d", i * 37 % 100), "value"));
    }
    right("a-block-larger-than-a-partition", large.journal(ops).seal().block(put("a", "1")));
  }

  private static ForestBlocks twice() {
    return new ForestBlocks(PARAMS)
        .journal(put("a", "1"), put("b", "1"))
        .journal(put("a", "2"), delete("b"))
        .journal(put("a", "3"))
        .seal();
  }

  private static ForestBlocks withEmptyBlocks() {
    ForestBlocks blocks = folding();
    for (int i = 0; i < 5; i++) {
      blocks.block();
    }
    return blocks.block(put("z", "1"));
  }

  /// Blocks that fill a partition each: the fold begins with the ninth. It carries `cold` over and
  /// drops the tombstone of `gone`; a first entry of `gone` is left out before.
  private static ForestBlocks folding() {
    ForestBlocks blocks = new ForestBlocks(PARAMS);
    for (int block = 0; block < 14; block++) {
      List<Op> ops = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        ops.add(
            put(String.format(Locale.ROOT, "key %02d", (8 * block + i) % 20), "value " + block));
      }
      if (block == 0) {
        ops.add(put("cold", "written once"));
        ops.add(put("gone", "deleted soon"));
      }
      if (block == 2) {
        ops.add(delete("gone"));
      }
      blocks.journal(ops).seal();
    }
    return blocks;
  }

  /// Eight blocks of 12 new keys, then blocks of 4. The first pass carries 96 entries over and ends
  /// with block 20, of 144. Block 32 makes 192, block 33 more than that: with it the next one
  /// begins. Partitions enough are closed all the while.
  private static ForestBlocks growing() {
    ForestBlocks blocks = new ForestBlocks(new StateParams(4, 1, 4, 4, 1));
    int next = 0;
    for (int block = 1; block <= 36; block++) {
      List<Op> ops = new ArrayList<>();
      for (int i = block <= 8 ? 12 : 4; i > 0; i--) {
        ops.add(put(String.format(Locale.ROOT, "%03d", next++), "1"));
      }
      blocks.journal(ops).seal();
    }
    return blocks;
  }

  private void right(String name, ForestBlocks blocks) {
    accept(blocks.vector(name, blocks.outcome().roots()), false);
  }

  /// Writes a vector down.
  ///
  /// @param attack whether something must be found
  private void accept(VectorCase made, boolean attack) {
    set.accept(made);
    Map<?, ?> want = (Map<?, ?>) set.vectors().getLast().find("want").orElseThrow();
    boolean right = List.of().equals(want.get("wrong")) && List.of().equals(want.get("failed"));
    if (right == attack) {
      throw new AssertionError(made.name() + ": " + want);
    }
  }

  /// Writes, deletions and preconditions that hold, on few keys.
  private void random(String name, int seed, StateParams params, int passesMin) {
    SplittableRandom random = new SplittableRandom(seed);
    ForestBlocks blocks = new ForestBlocks(params);
    for (int i = 0; i < RANDOM_BLOCKS; i++) {
      for (int journal = random.nextInt(3); journal > 0; journal--) {
        blocks.journal(ops(random, blocks));
      }
      blocks.seal();
    }
    int passes = blocks.outcome().forest().passes();

    if (passes < passesMin) {
      throw new AssertionError(name + ": " + passes + " passes");
    }
    right(name, blocks);
  }

  private static List<Op> ops(SplittableRandom random, ForestBlocks blocks) {
    List<Op> ops = new ArrayList<>();
    Set<Bytes> used = new HashSet<>();
    int count = random.nextInt(6) == 0 ? 15 : 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      Bytes key = key(random);
      if (used.add(key)) {
        Precondition precondition = holding(random, blocks.present(key));
        String value = "value " + blocks.nextJsn() + " " + i;
        ops.add(
            random.nextInt(5) == 0
                ? new Op.Delete(key, precondition)
                : new Op.Put(key, commit(value), random.nextInt(300), precondition));
      }
    }
    return ops;
  }

  private static Bytes key(SplittableRandom random) {
    byte[] key = new byte[1 + random.nextInt(4)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(3) * 127);
    }
    return Bytes.wrap(key);
  }

  private static Precondition holding(SplittableRandom random, Optional<StateEntry> present) {
    if (random.nextBoolean()) {
      return new Precondition.None();
    }
    if (present.isEmpty()) {
      return new Precondition.IfAbsent();
    }
    return random.nextBoolean()
        ? new Precondition.IfVersion(present.get().jsn())
        : new Precondition.IfCommit(present.get().valueCommit().orElseThrow());
  }

  private void preconditions() {
    Precondition absent = new Precondition.IfAbsent();
    right(
        "if-absent-holds-for-a-key-never-written",
        new ForestBlocks(PARAMS).block(put("a", "1", absent)));
    right("if-absent-holds-for-a-tombstone", deleted().block(put("a", "2", absent)));
    right("if-version", written().block(put("a", "2", version(2))));
    right("if-version-of-a-delete", written().block(new Op.Delete(Bytes.utf8("a"), version(2))));
    right("if-commit", written().block(put("a", "2", ifCommit("1"))));
    ForestBlocks within =
        new ForestBlocks(PARAMS)
            .journal(put("a", "1", absent))
            .journal(put("a", "2", version(2)))
            .journal(new Op.Delete(Bytes.utf8("a"), ifCommit("2")))
            .journal(put("a", "3", absent))
            .seal();
    right("judged-after-the-operations-before-it", within);
  }

  private static ForestBlocks written() {
    return new ForestBlocks(PARAMS).block(put("a", "1"));
  }

  /// Written by journal 2, deleted by journal 4.
  private static ForestBlocks deleted() {
    return written().block(delete("a"));
  }

  private static Precondition version(long jsn) {
    return new Precondition.IfVersion(new Jsn(jsn));
  }

  private static Precondition ifCommit(String value) {
    return new Precondition.IfCommit(commit(value));
  }

  /// The operation was carried out although its precondition does not hold.
  private void ignoredPreconditions() {
    Precondition absent = new Precondition.IfAbsent();
    ignored("if-absent-of-a-present-key", written().block(put("b", "1"), put("a", "2", absent)));
    ForestBlocks replaced = written().block(put("a", "2"));
    ignored("if-version-of-a-replaced-entry", replaced.block(put("a", "3", version(2))));
    ignored("if-version-of-a-deleted-entry", deleted().block(put("a", "2", version(2))));
    ignored("if-version-of-a-tombstone", deleted().block(put("a", "2", version(4))));
    ignored("if-version-of-a-key-never-written", written().block(put("b", "2", version(2))));
    ignored("if-commit-of-another-value", written().block(put("a", "2", ifCommit("2"))));
    ignored("if-commit-of-a-deleted-value", deleted().block(put("a", "2", ifCommit("1"))));
    ForestBlocks same = new ForestBlocks(PARAMS).journal(put("a", "1"));
    ignored("if-absent-of-a-key-of-this-block", same.journal(put("a", "2", absent)).seal());
    ForestBlocks late = written().journal(put("a", "2")).journal(put("a", "3", version(2)));
    ignored("if-version-replaced-in-this-block", late.seal());
  }

  private void ignored(String name, ForestBlocks blocks) {
    String full = "attack-precondition-ignored-" + name;
    accept(blocks.vector(full, blocks.outcome().roots()), true);
  }

  private void writes() {
    ForestBlocks blocks = deleted().block(put("b", "1"), put("c", "2")).block(put("d", "1"));
    written("write-not-applied", blocks, 3, writes -> writes.subList(0, 1));
    written("delete-not-applied", blocks, 2, writes -> List.of());
    StateEntry other = StateEntry.put(Bytes.utf8("b"), commit("9"), 1, new Jsn(6));
    written("write-of-another-value", blocks, 3, writes -> List.of(other, writes.get(1)));
    written("write-of-nobody", blocks, 1, writes -> List.of(writes.get(0), other));
    StateEntry moved = StateEntry.put(Bytes.utf8("d"), commit("1"), 1, new Jsn(6));
    written("write-with-another-jsn", blocks, 4, writes -> List.of(moved));
    written("first-operation-on-a-key-counts", twice(), 1, List::reversed);
    List<Digest> roots = new ArrayList<>(withEmptyBlocks().outcome().roots());
    roots.set(15, roots.get(0));
    accept(withEmptyBlocks().vector("attack-root-of-an-old-block", roots), true);
  }

  private interface Change {
    List<StateEntry> of(List<StateEntry> writes);
  }

  private void written(String name, ForestBlocks blocks, long at, Change change) {
    Tampering tampering = (height, writes) -> height == at ? change.of(writes) : writes;
    attack(name, blocks, PARAMS, Carrying.RIGHT, tampering);
  }

  private void attack(
      String name, ForestBlocks blocks, StateParams by, Carrying carrying, Tampering tampering) {
    List<Digest> claimed = blocks.outcome(by, carrying, tampering).roots();
    accept(blocks.vector("attack-" + name, claimed), true);
  }

  private void folds() {
    fold(
        "tombstone-hidden-by-the-fold",
        (entry, isReplaced) ->
            isKey(entry, "gone") && entry.isPresent()
                ? Optional.of(entry)
                : Carrying.RIGHT.carried(entry, isReplaced));
    fold(
        "tombstone-kept-by-the-fold",
        (entry, isReplaced) -> isReplaced ? Optional.empty() : Optional.of(entry));
    fold("current-entry-dropped-by-the-fold", (entry, isReplaced) -> Optional.empty());
    fold("fold-copy-with-a-new-jsn", copy(e -> with(e, e.valueCommit().orElseThrow(), 20)));
    fold("fold-copy-with-another-commitment", copy(e -> with(e, commit("9"), e.jsn().value())));
    fold("fold-copy-as-a-tombstone", copy(e -> StateEntry.tombstone(e.key(), e.jsn())));
    fold(
        "replaced-entry-carried-over",
        (entry, isReplaced) -> entry.isPresent() ? Optional.of(entry) : Optional.empty());
  }

  private void fold(String name, Carrying carrying) {
    attack(name, folding(), PARAMS, carrying, NONE);
  }

  private interface Copy {
    StateEntry of(StateEntry entry);
  }

  private static Carrying copy(Copy copy) {
    return (entry, isReplaced) -> Carrying.RIGHT.carried(entry, isReplaced).map(copy::of);
  }

  private static StateEntry with(StateEntry entry, Digest commit, long jsn) {
    return StateEntry.put(entry.key(), commit, entry.valueSizeBytes(), new Jsn(jsn));
  }

  private static boolean isKey(StateEntry entry, String key) {
    return entry.key().equals(Bytes.utf8(key));
  }

  private void shapes() {
    shape("partition-closed-too-late", new StateParams(11, 1, 4, 4, 1));
    shape("partition-closed-too-early", new StateParams(6, 1, 4, 4, 1));
    shape("leaves-too-large", new StateParams(8, 1, 5, 4, 1));
    shape("inner-nodes-too-large", new StateParams(8, 1, 4, 9, 1));
  }

  private void shape(String name, StateParams by) {
    ForestBlocks blocks = new ForestBlocks(PARAMS);
    for (int i = 0; i < 4; i++) {
      blocks.block(put("a" + i, "1"), put("b" + i, "1"), put("c" + i, "1"));
    }
    List<Op> ops = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      ops.add(put(String.format(Locale.ROOT, "key %02d", i), "1"));
    }
    attack(name, blocks.journal(ops).seal(), by, Carrying.RIGHT, NONE);
  }
}
