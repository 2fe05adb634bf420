package io.tallystick.testkit;

import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.RangeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.note.Checkpoint;
import io.tallystick.receipt.HeadSignature;
import io.tallystick.receipt.RangeReceipt;
import io.tallystick.receipt.Receipt;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.ArrayList;
import java.util.List;

/// A small log as the service writes it: genesis and its seal, then blocks of Alice's journals,
/// each closed by a seal. Any size of it can be signed, also one that is no block's end. The same
/// arguments give the same bytes.
public final class SampleLog {
  private final Fixtures fixtures = Fixtures.ledger();
  private final List<Bytes> leaves = new ArrayList<>();
  private ReferenceTree tree;
  private long height;
  private Digest previousSeal = Digest.ZERO;

  private SampleLog() {
    leaves.add(
        new GenesisLeaf(
                fixtures.timeMs(),
                0,
                fixtures.params().encode(),
                Attestation.hash(fixtures.genesisAttestation().encode()))
            .encode());
    tree = new ReferenceTree(leaves);
    seal(0);
  }

  /// @param firstNumber of the requests: another number is another log with the same genesis
  /// @param journals how many the blocks after the first have
  public static SampleLog of(int firstNumber, int... journals) {
    SampleLog log = new SampleLog();
    int number = firstNumber;
    for (int count : journals) {
      log.block(number, count);
      number += count;
    }
    return log;
  }

  /// A log of 12 leaves: genesis, seal, 4 journals, seal, 4 journals, seal.
  public static SampleLog small() {
    return of(0, 4, 4);
  }

  private void block(int firstNumber, int count) {
    int first = leaves.size();
    for (int i = 0; i < count; i++) {
      Submission submission = fixtures.single(firstNumber + i);
      leaves.add(
          new JournalLeaf(
                  new Jsn(leaves.size()),
                  fixtures.timeMs(),
                  submission.requests().getFirst().header(),
                  Attestation.hash(submission.attestation()),
                  0,
                  1)
              .encode());
    }
    tree = new ReferenceTree(leaves);
    seal(first);
  }

  private void seal(int firstJsn) {
    int jsn = leaves.size();
    leaves.add(
        new SealLeaf(
                new Jsn(jsn),
                fixtures.timeMs(),
                height++,
                previousSeal,
                new Jsn(firstJsn),
                tree.root(jsn),
                SealLeaf.EMPTY_CLUE_ROOT,
                SealLeaf.EMPTY_STATE_ROOT)
            .encode());
    tree = new ReferenceTree(leaves);
    previousSeal = tree.leafHash(jsn);
  }

  public int size() {
    return leaves.size();
  }

  public Bytes leaf(int jsn) {
    return leaves.get(jsn);
  }

  public List<Bytes> leaves(int first, int count) {
    return List.copyOf(leaves.subList(first, first + count));
  }

  public ReferenceTree tree() {
    return tree;
  }

  public StrandId strand() {
    return fixtures.strand();
  }

  public ServiceKeys keys() {
    return new ServiceKeys(
        fixtures.params().authority(), Fixtures.NOTE.publicKey(), Fixtures.RECEIPT.publicKey());
  }

  public JournalRoot root(int size) {
    return new JournalRoot(tree.root(size));
  }

  public HeadSignature headSignature(int size) {
    return HeadSignature.sign(
        Fixtures.RECEIPT, keys().authority(), strand(), new TreeSize(size), root(size));
  }

  public Bytes checkpoint(int size) {
    return Checkpoint.sign(
            Fixtures.NOTE, keys().authority(), strand(), new TreeSize(size), root(size))
        .encode();
  }

  public Receipt receipt(int jsn, int size) {
    return new Receipt(
        headSignature(size), new InclusionProof(jsn, size, tree.inclusionPath(jsn, size)));
  }

  public RangeReceipt rangeReceipt(int first, int count, int size) {
    return new RangeReceipt(
        headSignature(size),
        new RangeProof(first, count, size, tree.outsideRange(first, count, size)));
  }

  public ConsistencyProof consistency(int from, int to) {
    return new ConsistencyProof(from, to, tree.consistencyPath(from, to));
  }
}
