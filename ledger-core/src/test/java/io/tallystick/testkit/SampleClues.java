package io.tallystick.testkit;

import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.HeadStatement;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestDraft;
import io.tallystick.lineage.ClueProof;
import io.tallystick.lineage.LineageProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.receipt.ReceiptFile;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/// A log whose journals carry clues, with the proofs of their lineage by definition. Every size of
/// it can be signed, also one that is no block's end. The same calls give the same bytes. Not
/// thread-safe.
public final class SampleClues {
  private static final Signatures SIGNATURES = new JdkSignatures(new SplittableRandom(1));

  private final Fixtures fixtures;
  private final ReferenceLedger ledger;
  private final int firstNumber;
  private int journals;

  private SampleClues(Fixtures fixtures, ReferenceLedger ledger, int firstNumber) {
    this.fixtures = fixtures;
    this.ledger = ledger;
    this.firstNumber = firstNumber;
  }

  /// Genesis and its seal.
  ///
  /// @param firstNumber of the journals: another number is another log of the same ledger
  public static SampleClues found(int firstNumber) {
    Fixtures fixtures = Fixtures.ledger().withFeatures(Set.of(Feature.CLUE_TRIE));
    return new SampleClues(fixtures, ReferenceLedger.found(fixtures), firstNumber);
  }

  /// The log all vectors are about: 18 leaves, sealed at 2, 6, 9, 12, 15 and 18. `invoice 7` has
  /// the journals 2, 4, 6, 10 and 16; `draft` 3, 7 and 9, which deletes it; `contract` 10, 12,
  /// which deletes it, and 15; `order 1` only 3, `order 2` only 13.
  public static SampleClues small() {
    return found(0)
        .block(List.of("invoice 7"), List.of("order 1", "draft"), List.of("invoice 7"))
        .block(List.of("invoice 7"), List.of("draft"))
        .delete("draft")
        .block(List.of("invoice 7", "contract"))
        .delete("contract")
        .block(List.of("order 2"))
        .block(List.of("contract"), List.of("invoice 7"));
  }

  /// A block of appends, each naming these clues.
  @SafeVarargs
  public final SampleClues block(List<String>... cluesOfEach) {
    for (List<String> clues : cluesOfEach) {
      append(clues);
    }
    return seal();
  }

  /// An append into the open block.
  public SampleClues append(List<String> clues) {
    RequestDraft draft = fixtures.draft(firstNumber + journals++).withClues(clues);
    ledger.append(fixtures.submission(draft.build(), Fixtures.ALICE));
    return this;
  }

  /// A clueDelete into the open block.
  public SampleClues delete(String clue) {
    int number = firstNumber + journals++;
    RequestDraft draft =
        new RequestDraft(
            strand(),
            Kind.CLUE_DELETE,
            number,
            fixtures.timeMs(),
            fixtures.timeMs() + 60_000,
            Bytes.EMPTY,
            "",
            List.of(clue),
            Extension.None.INSTANCE,
            Fixtures.bytes32("salt " + number),
            List.of());
    ledger.append(fixtures.submission(draft.build(), Fixtures.ALICE));
    return this;
  }

  public SampleClues seal() {
    ledger.seal();
    return this;
  }

  /// Seals the open block with a clue root of the caller's.
  public SampleClues seal(Digest clueRoot) {
    ledger.seal(right ->
        new ReferenceLedger.Stated(
            right.height(), right.journalRoot(), clueRoot, right.stateRoot()));
    return this;
  }

  public Bytes params() {
    return ledger.params();
  }

  /// A journal with its receipt under the head of the first `size` leaves.
  public ReceiptFile receiptFile(int jsn, int size) {
    return ledger.receiptFile(jsn, size);
  }

  public int size() {
    return ledger.size();
  }

  public StrandId strand() {
    return fixtures.strand();
  }

  public ServiceKeys keys() {
    return ledger.keys();
  }

  public Digest clueId(String clue) {
    return Commitments.clueId(strand().ledger(), clue);
  }

  public Bytes leaf(int jsn) {
    return ledger.leaf(jsn);
  }

  /// The first `size` leaves.
  public List<Bytes> leaves(int size) {
    return ledger.leaves(0, size);
  }

  /// What the first `size` leaves make of all clues.
  public ReferenceClues clues(int size) {
    return ReferenceClues.of(leaves(size));
  }

  /// The signed note over the first `size` leaves.
  public Bytes checkpoint(int size) {
    return ledger.checkpoint(size);
  }

  /// The head over the first `size` leaves, as verified.
  public SignedHead head(int size) {
    try {
      return HeadStatement.verify(checkpoint(size), strand(), keys(), SIGNATURES);
    } catch (ProofRejectedException e) {
      throw new AssertionError(e);
    }
  }

  public ClueProof clueProof(String clue, int size) {
    return clueProof(clue, size, clues(size));
  }

  /// The clue proof that shows what `clues` hold, true or not.
  public ClueProof clueProof(String clue, int size, ReferenceClues clues) {
    return new ClueProof(
        leaf(size - 1), ledger.tree().inclusionPath(size - 1, size), clues.proof(clueId(clue)));
  }

  /// All journals of a clue.
  public LineageProof lineage(String clue, int size) {
    return lineage(clue, 0, clues(size).journals(clueId(clue)).size(), size);
  }

  /// The clue's journals `[first, first + count)`.
  public LineageProof lineage(String clue, int first, int count, int size) {
    ReferenceClues clues = clues(size);
    ReferenceTree tree = clues.tree(clueId(clue));
    List<Bytes> leaves = clues.journals(clueId(clue)).subList(first, first + count);
    return new LineageProof(
        clueProof(clue, size, clues),
        first,
        tree.outsideRange(first, count, tree.size()),
        new ArrayList<>(leaves));
  }
}
