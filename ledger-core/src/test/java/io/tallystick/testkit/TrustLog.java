package io.tallystick.testkit;

import io.tallystick.evidence.KeyChain;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.receipt.HeadSignature;
import io.tallystick.receipt.Receipt;
import io.tallystick.receipt.ReceiptFile;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// A log of blocks with one submission each; of single requests, request n has jsn 2n, from 1 on.
/// It writes what it is told, right or wrong; the same calls give the same bytes.
public final class TrustLog {
  private static final List<SeededSigner> SERVICE =
      List.of(Fixtures.RECEIPT, Fixtures.NEXT_RECEIPT, SeededSigner.ed25519("last receipt"));

  private final Fixtures fixtures;
  private final List<Bytes> leaves = new ArrayList<>();
  private final List<Bytes> attestations = new ArrayList<>();
  private ReferenceTree tree;
  private ServiceKeys keys;
  private long height;
  private Digest previousSeal = Digest.ZERO;

  private TrustLog(Fixtures fixtures) {
    this.fixtures = fixtures;
    this.keys =
        new ServiceKeys(
            fixtures.params().authority(),
            fixtures.params().noteKey(),
            fixtures.params().receiptKey());
    Bytes attestation = fixtures.genesisAttestation().encode();
    leaves.add(
        new GenesisLeaf(
                fixtures.timeMs(), 0, fixtures.params().encode(), Attestation.hash(attestation))
            .encode());
    attestations.add(attestation);
    tree = new ReferenceTree(leaves);
    seal(0, fixtures.timeMs(), tree.root(1));
  }

  public static TrustLog found(Fixtures fixtures) {
    return new TrustLog(fixtures);
  }

  /// A block of one journal, at the time the ledger was founded.
  public TrustLog block(Submission submission) {
    return block(submission, fixtures.timeMs(), false);
  }

  /// A block of one submission.
  ///
  /// @param delegated what its leaves are marked with
  public TrustLog block(Submission submission, long timeMs, boolean delegated) {
    int first = leaves.size();
    int count = submission.requests().size();
    for (int i = 0; i < count; i++) {
      leaves.add(
          new JournalLeaf(
                  new Jsn(leaves.size()),
                  timeMs,
                  submission.requests().get(i).header(),
                  Attestation.hash(submission.attestation()),
                  i,
                  count,
                  delegated)
              .encode());
      attestations.add(submission.attestation());
    }
    tree = new ReferenceTree(leaves);
    seal(first, timeMs, tree.root(leaves.size()));
    return this;
  }

  /// A block whose seal states a root of the caller's.
  public TrustLog falseBlock(Submission submission, Digest journalRoot) {
    leaves.add(
        new JournalLeaf(
                new Jsn(leaves.size()),
                fixtures.timeMs(),
                submission.requests().getFirst().header(),
                Attestation.hash(submission.attestation()),
                0,
                1)
            .encode());
    attestations.add(submission.attestation());
    seal(leaves.size() - 1, fixtures.timeMs(), journalRoot);
    return this;
  }

  /// The newest journal rotated the service's keys to these.
  public TrustLog rotated(SeededSigner note, SeededSigner receipt) {
    keys = keys.rotated(new Jsn(leaves.size() - 2), note.publicKey(), receipt.publicKey());
    return this;
  }

  private void seal(int firstJsn, long timeMs, Digest journalRoot) {
    int jsn = leaves.size();
    leaves.add(
        new SealLeaf(
                new Jsn(jsn),
                timeMs,
                height++,
                previousSeal,
                new Jsn(firstJsn),
                journalRoot,
                SealLeaf.EMPTY_CLUE_ROOT,
                SealLeaf.EMPTY_STATE_ROOT)
            .encode());
    attestations.add(Bytes.EMPTY);
    tree = new ReferenceTree(leaves);
    previousSeal = tree.leafHash(jsn);
  }

  public int size() {
    return leaves.size();
  }

  public Bytes leaf(int jsn) {
    return leaves.get(jsn);
  }

  public Bytes attestation(int jsn) {
    return attestations.get(jsn);
  }

  public StrandId strand() {
    return fixtures.strand();
  }

  public Bytes params() {
    return fixtures.params().encode();
  }

  public ServiceKeys keys() {
    return keys;
  }

  public JournalRoot root(int size) {
    return new JournalRoot(tree.root(size));
  }

  /// The inclusion path of a leaf in the tree of `size`.
  public InclusionProof inclusion(int jsn, int size) {
    return new InclusionProof(jsn, size, tree.inclusionPath(jsn, size));
  }

  /// A receipt file by the key that is valid for `size`.
  public ReceiptFile receiptFile(int jsn, int size) {
    Digest kid = keys.receiptKey(new TreeSize(size)).kid();
    return receiptFile(
        jsn,
        size,
        SERVICE.stream()
            .filter(each -> each.publicKey().kid().equals(kid))
            .findFirst()
            .orElseThrow());
  }

  /// A receipt file by any key.
  public ReceiptFile receiptFile(int jsn, int size, SeededSigner signer) {
    HeadSignature head =
        HeadSignature.sign(signer, keys.authority(), strand(), new TreeSize(size), root(size));
    return new ReceiptFile(leaf(jsn), new Receipt(head, inclusion(jsn, size)));
  }

  /// A journal as a key chain holds it, under the head of its own block.
  public KeyChain.Entry entry(int jsn) {
    return new KeyChain.Entry(receiptFile(jsn, jsn + 2).encode(), attestation(jsn));
  }

  public KeyChain chain(Integer... jsns) {
    return new KeyChain(Stream.of(jsns).map(this::entry).toList());
  }
}
