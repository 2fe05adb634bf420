package io.tallystick.testkit.vectors;

import io.tallystick.lineage.ClueProof;
import io.tallystick.lineage.LineageFile;
import io.tallystick.lineage.LineageProof;
import io.tallystick.merkle.patricia.ClueValue;
import io.tallystick.merkle.patricia.TrieProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.testkit.ReferenceClues;
import io.tallystick.testkit.SampleClues;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// Topics `clueproof` and `lineage`: what is shown of the clues of a log of 18 leaves, and what
/// claims it. `lying-…` are seals that the service itself signed.
final class LineageVectors {
  private static final int SIZE = 18;
  private static final String CLUE = "invoice 7";

  private final VectorSet set;
  private final SampleClues log = SampleClues.small();
  private final ClueProof clue = log.clueProof(CLUE, SIZE);
  private final LineageProof all = log.lineage(CLUE, SIZE);

  LineageVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    clueProofs();
    badClueProofs();
    lineages();
    withheld();
    foreign();
    lies();
    files();
  }

  private void clueProofs() {
    set.accept(clueCase("five-journals", CLUE, clue.encode(), SIZE));
    set.accept(clueCase("deleted", "draft", log.clueProof("draft", SIZE).encode(), SIZE));
    set.accept(
        clueCase(
            "used-after-deletion", "contract", log.clueProof("contract", SIZE).encode(), SIZE));
    set.accept(clueCase("never-used", "unknown", log.clueProof("unknown", SIZE).encode(), SIZE));
    set.accept(clueCase("never-used-yet", "order 2", log.clueProof("order 2", 9).encode(), 9));
    set.accept(clueCase("log-without-clues", CLUE, log.clueProof(CLUE, 2).encode(), 2));
  }

  private void badClueProofs() {
    badClue("seal-of-an-older-head", "WRONG_JSN", log.clueProof(CLUE, 15));
    badClue("stale-trie", "ROOT_MISMATCH", with(clue.seal(), log.clueProof(CLUE, 15).trie()));
    badClue("journal-for-a-seal", "WRONG_TYPE", with(log.leaf(16), clue.trie()));
    badClue("absence-by-a-shorter-way", "WRONG_PATH_LENGTH", with(clue.seal(), shorter()));
    badClue("path-empty", "WRONG_PATH_LENGTH", withPath(List.of()));
    badClue("path-with-a-flipped-bit", "ROOT_MISMATCH", withPath(HashList.flipped(clue.path(), 1)));
    set.refuse(
        "ROOT_MISMATCH",
        clueCase("proof-of-another-clue", CLUE, log.clueProof("draft", SIZE).encode(), SIZE));
    SampleClues other = SampleClues.found(100);
    while (other.size() < SIZE - 1) {
      other.append(List.of(CLUE));
    }
    other.seal();
    badClue("seal-of-another-log", "ROOT_MISMATCH", other.clueProof(CLUE, SIZE));
    Bytes good = clue.encode();
    malformedClue("type-12", Forge.replaceStart(good, "840b", "840c"));
    malformedClue("bytes-left-over", Forge.append(good, "00"));
    malformedClue("cut", good.slice(0, 100));
  }

  private TrieProof shorter() {
    List<Bytes> nodes = clue.trie().nodes();
    return new TrieProof(nodes.subList(0, nodes.size() - 1));
  }

  private void lineages() {
    set.accept(complete("all-five", all, SIZE));
    set.accept(complete("as-of-size-9", all, 9));
    set.accept(complete("as-of-size-9-by-the-first-four", page(0, 4), 9));
    set.accept(complete("as-of-size-2-it-was-unused", page(0, 1), 2));
    set.accept(lineage("page-of-two", page(2, 2)));
    set.accept(lineage("member", page(3, 1)));
    LineageProof deleted = log.lineage("draft", SIZE);
    set.accept(lineageCase("deleted", "draft", deleted.encode()).with("completeAt", SIZE));
    LineageProof again = log.lineage("contract", SIZE);
    set.accept(lineageCase("used-after-deletion", "contract", again.encode()));
  }

  private void withheld() {
    set.refuse("MISSING", complete("page-called-complete", page(1, 4), SIZE));
    set.refuse("MISSING", complete("newest-journal-withheld-in-a-true-page", page(0, 4), SIZE));
    set.refuse("MISSING", complete("as-of-size-9-without-the-next", page(0, 3), 9));
    set.refuse("SIZE_OUT_OF_RANGE", complete("as-of-a-later-size", all, SIZE + 1));
    bad("newest-journal-withheld", "WRONG_PATH_LENGTH", leaves(without(4)));
    bad("middle-journal-withheld", "WRONG_PATH_LENGTH", leaves(without(2)));
    LineageProof four = page(0, 4);
    bad(
        "middle-journal-left-out-of-a-page",
        "ROOT_MISMATCH",
        new LineageProof(clue, 0, four.roots(), without(2)));
    bad("no-journals", "SIZE_OUT_OF_RANGE", leaves(List.of()));
    List<Bytes> swapped = new ArrayList<>(all.leaves());
    Collections.swap(swapped, 1, 2);
    bad("journals-swapped", "ROOT_MISMATCH", leaves(swapped));
    List<Bytes> replaced = new ArrayList<>(all.leaves());
    replaced.set(2, log.leaf(7));
    bad("journal-replaced", "ROOT_MISMATCH", leaves(replaced));
    List<Bytes> twice = new ArrayList<>(all.leaves());
    twice.add(all.leaves().getLast());
    bad("journal-twice", "INDEX_OUT_OF_RANGE", leaves(twice));
    LineageProof two = page(2, 2);
    bad(
        "page-at-another-place",
        "ROOT_MISMATCH",
        new LineageProof(clue, 0, page(0, 2).roots(), two.leaves()));
    bad(
        "page-beyond-the-last",
        "INDEX_OUT_OF_RANGE",
        new LineageProof(clue, 4, two.roots(), two.leaves()));
  }

  private void foreign() {
    set.refuse(
        "ROOT_MISMATCH", lineageCase("of-another-clue", CLUE, log.lineage("draft", SIZE).encode()));
    bad("stale", "WRONG_JSN", log.lineage(CLUE, 15));
    LineageProof stale = log.lineage(CLUE, 15);
    bad(
        "stale-journals-under-the-newest-seal",
        "WRONG_PATH_LENGTH",
        new LineageProof(clue, 0, stale.roots(), stale.leaves()));
    set.refuse(
        "MISSING",
        lineageCase(
            "journals-of-a-clue-never-used",
            "unknown",
            new LineageProof(log.clueProof("unknown", SIZE), 0, List.of(), all.leaves()).encode()));
    Bytes good = all.encode();
    malformed("type-11", Forge.replaceStart(good, "850c", "850b"));
    malformed("bytes-left-over", Forge.append(good, "00"));
    malformed("cut", good.slice(0, good.size() - 1));
  }

  private void lies() {
    Bytes one = log.leaf(2);
    Bytes two = log.leaf(4);
    Bytes others = log.leaf(3);
    lie("inflated-count", "WRONG_PATH_LENGTH", List.of(one, two), 3, 0);
    lie("count-beyond-the-log", "WRONG_SIZE", List.of(one, two), 10, 0);
    lie("journal-of-another-clue", "WRONG_CLUE", List.of(one, others, two), 3, 0);
    lie("journals-in-another-order", "WRONG_JSN", List.of(two, one), 2, 0);
    lie("one-journal-twice", "WRONG_JSN", List.of(one, one), 2, 0);
    lie("journal-behind-the-head", "WRONG_JSN", List.of(one, log.leaf(16)), 2, 0);
    lie("seal-for-a-journal", "WRONG_TYPE", List.of(one, log.leaf(5)), 2, 0);
    lie("deleted-by-a-journal-that-does-not-delete", "WRONG_JSN", List.of(one, two), 2, 4);
    lie("deleted-by-no-journal-of-it", "WRONG_JSN", List.of(one, two), 2, 3);
    String ours = log.strand().ledger().digest().hex();
    Bytes moved = Bytes.fromHex(one.hex().replace(ours, "11".repeat(32)));
    lie("journal-of-another-ledger", "WRONG_LEDGER", List.of(moved), 1, 0);
  }

  /// A log of 8 leaves whose last seal says this of the clue, with these journals as its lineage.
  private void lie(String name, String reason, List<Bytes> journals, long count, long deletedJsn) {
    SampleClues lying =
        SampleClues.found(0)
            .block(List.of(CLUE), List.of("order 1", "draft"), List.of(CLUE))
            .append(List.of(CLUE));
    ReferenceTree leaves = new ReferenceTree(journals);
    ReferenceTree tree =
        new ReferenceTree(
            leaves.leafHashes(0, leaves.size()).stream().map(Digest::toBytes).toList());
    ReferenceClues clues = lying.clues(lying.size());
    clues.put(lying.clueId(CLUE), new ClueValue(count, tree.root(tree.size()), deletedJsn));
    lying.seal(clues.root());
    int size = lying.size();
    LineageProof proof =
        new LineageProof(lying.clueProof(CLUE, size, clues), 0, List.of(), journals);
    set.refuse(
        reason,
        service("lineage/lying-" + name, "lineage", size, lying)
            .with("clueId", lying.clueId(CLUE))
            .with("proof", proof.encode()));
  }

  private void files() {
    Digest id = log.clueId(CLUE);
    set.accept(file("file-of-five", LineageFile.of(id, log.head(SIZE), all).encode()));
    Digest never = log.clueId("unknown");
    LineageFile absent = LineageFile.of(never, log.head(SIZE), log.clueProof("unknown", SIZE));
    set.accept(file("file-of-a-clue-never-used", absent.encode()));
    set.refuse(
        "WRONG_JSN",
        file(
            "file-with-another-head",
            new LineageFile(id, log.checkpoint(15), all.encode()).encode()));
    Bytes good = LineageFile.of(id, log.head(SIZE), all).encode();
    set.refuse("MALFORMED", file("file-of-type-12", Forge.replaceStart(good, "840d", "840c")));
    set.refuse("MALFORMED", file("file-with-bytes-left-over", Forge.append(good, "00")));
    set.refuse(
        "MALFORMED",
        file(
            "file-without-a-proof",
            new LineageFile(id, log.checkpoint(SIZE), Bytes.EMPTY).encode()));
  }

  private VectorCase file(String name, Bytes file) {
    return service("lineage/" + name, "lineageFile").with("file", file);
  }

  private LineageProof page(int first, int count) {
    return log.lineage(CLUE, first, count, SIZE);
  }

  private LineageProof leaves(List<Bytes> leaves) {
    return new LineageProof(clue, all.first(), all.roots(), leaves);
  }

  private List<Bytes> without(int index) {
    List<Bytes> leaves = new ArrayList<>(all.leaves());
    leaves.remove(index);
    return leaves;
  }

  private ClueProof with(Bytes seal, TrieProof trie) {
    return new ClueProof(seal, clue.path(), trie);
  }

  private ClueProof withPath(List<Digest> path) {
    return new ClueProof(clue.seal(), path, clue.trie());
  }

  private void badClue(String name, String reason, ClueProof proof) {
    set.refuse(reason, clueCase(name, CLUE, proof.encode(), SIZE));
  }

  private void malformedClue(String name, Bytes proof) {
    set.refuse("MALFORMED", clueCase(name, CLUE, proof, SIZE));
  }

  private void bad(String name, String reason, LineageProof proof) {
    set.refuse(reason, lineage(name, proof));
  }

  private void malformed(String name, Bytes proof) {
    set.refuse("MALFORMED", lineageCase(name, CLUE, proof));
  }

  private VectorCase complete(String name, LineageProof proof, int size) {
    return lineage(name, proof).with("completeAt", size);
  }

  private VectorCase lineage(String name, LineageProof proof) {
    return lineageCase(name, CLUE, proof.encode());
  }

  private VectorCase lineageCase(String name, String of, Bytes proof) {
    return service("lineage/" + name, "lineage", SIZE, log)
        .with("clueId", log.clueId(of))
        .with("proof", proof);
  }

  private VectorCase clueCase(String name, String of, Bytes proof, int size) {
    return service("clueproof/" + name, "clueProof", size, log)
        .with("clueId", log.clueId(of))
        .with("proof", proof);
  }

  private VectorCase service(String name, String op) {
    String description = name.substring(name.indexOf('/') + 1).replace('-', ' ');
    return VectorCase.of(name, op, description)
        .with(log.strand())
        .with("authority", log.keys().authority().value())
        .with("noteKey", log.keys().noteKey())
        .with("receiptKey", log.keys().receiptKey());
  }

  private VectorCase service(String name, String op, int size, SampleClues of) {
    return service(name, op).with("head", of.checkpoint(size));
  }
}
