package io.tallystick.testkit.vectors;

import io.tallystick.merkle.RangeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.receipt.RangeReceipt;
import io.tallystick.testkit.ReferenceLedger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// Topic `rangereceipt`: the four journals 2 to 5 of the sample log's 12, and what is no receipt of
/// them. An accepted one names the single receipts it splits into.
final class RangeReceiptVectors {
  private static final int FIRST = 2;
  private static final int COUNT = 4;
  private static final int SIZE = 12;

  private final VectorSet set;
  private final ReferenceLedger log = ReferenceLedger.sample();
  private final RangeReceipt good = log.rangeReceipt(FIRST, COUNT, SIZE);
  private final List<Bytes> leaves = log.leaves(FIRST, COUNT);

  RangeReceiptVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    set.accept(made("journals-2-to-5-of-12", good.encode(), leaves));
    set.accept(made("one-journal", log.rangeReceipt(3, 1, SIZE).encode(), log.leaves(3, 1)));
    set.accept(made("whole-log", log.rangeReceipt(0, SIZE, SIZE).encode(), log.leaves(0, SIZE)));
    for (int size : new int[] {8, 11, 13, 24}) {
      proof("treeSize-not-the-signed-one-" + size, "WRONG_SIZE", FIRST, COUNT, size);
    }
    proof("range-beyond-the-tree", "INDEX_OUT_OF_RANGE", 9, COUNT, SIZE);
    proof("count-0", "SIZE_OUT_OF_RANGE", FIRST, 0, SIZE, List.of());
    proof("one-leaf-claimed-twice", "WRONG_JSN", FIRST, COUNT, SIZE, twice());
    leaves("one-leaf-too-few", "LEAF_MISMATCH", leaves.subList(0, 3));
    leaves("one-leaf-too-many", "LEAF_MISMATCH", log.leaves(FIRST, COUNT + 1));
    leaves("leaves-of-the-next-range", "WRONG_JSN", log.leaves(FIRST + 1, COUNT));
    leaves(
        "leaves-of-another-log",
        "BAD_SIGNATURE",
        ReferenceLedger.sample(100, 4, 4).leaves(FIRST, COUNT));
    List<Bytes> turned = new ArrayList<>(leaves);
    Collections.swap(turned, 0, 1);
    leaves("two-leaves-swapped", "WRONG_JSN", turned);
    roots("roots-without-the-last", "WRONG_PATH_LENGTH", HashList.without(good.proof().roots(), 0));
    roots("root-with-a-flipped-bit", "BAD_SIGNATURE", HashList.flipped(good.proof().roots(), 0));
    RangeReceipt mixed = new RangeReceipt(log.headSignature(7), good.proof());
    set.refuse("WRONG_SIZE", made("head-of-another-size", mixed.encode(), leaves));
    malformed("type-9", Forge.replaceStart(good.encode(), "8708", "8709"));
    malformed("bytes-left-over", Forge.append(good.encode(), "00"));
    malformed("cut", good.encode().slice(0, 60));
    String start = "8708020" + COUNT;
    malformed("count-65537", Forge.replaceStart(good.encode(), start, "8708021a00010001"));
    malformed("count-not-shortest", Forge.replaceStart(good.encode(), start, "8708021804"));
  }

  private List<Bytes> twice() {
    List<Bytes> twice = new ArrayList<>(leaves);
    twice.set(1, leaves.getFirst());
    return twice;
  }

  private void proof(String name, String reason, int first, int count, int size) {
    proof(name, reason, first, count, size, leaves);
  }

  private void proof(String name, String reason, int first, int count, int size, List<Bytes> of) {
    RangeProof moved = new RangeProof(first, count, size, good.proof().roots());
    List<Bytes> given =
        first == FIRST ? of : ReferenceLedger.sample(0, 4, 4, 1).leaves(first, count);
    set.refuse(reason, made(name, new RangeReceipt(good.head(), moved).encode(), given));
  }

  private void roots(String name, String reason, List<Digest> roots) {
    RangeProof spoiled = new RangeProof(FIRST, COUNT, SIZE, roots);
    set.refuse(reason, made(name, new RangeReceipt(good.head(), spoiled).encode(), leaves));
  }

  private void leaves(String name, String reason, List<Bytes> of) {
    set.refuse(reason, made(name, good.encode(), of));
  }

  private void malformed(String name, Bytes encoded) {
    set.refuse("MALFORMED", made(name, encoded, leaves));
  }

  private VectorCase made(String name, Bytes encoded, List<Bytes> of) {
    return ServiceCase.of(
            log, "rangereceipt/" + name, "rangeReceipt", "leaves 2 to 5 of 12, or what claims it")
        .with("leaves", of)
        .with("rangeReceipt", encoded);
  }
}
