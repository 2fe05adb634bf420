package io.tallystick.evidence;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.SignedHead;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.RangeProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.note.Checkpoint;
import io.tallystick.receipt.RangeReceipt;
import io.tallystick.receipt.Receipt;
import io.tallystick.receipt.ReceiptFile;
import io.tallystick.testkit.JdkSignatures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.fuzz.Edits;
import io.tallystick.testkit.fuzz.FuzzContract;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/// Goal: of all that {@link Edits} make of genuine evidence about a log, a verifier accepts the
/// genuine alone and rejects the rest as documented. Method: Jazzer; `docs/testing.md`. Two logs of
/// one ledger, 12 leaves each, are signed by the same keys, so that parts of true statements can be
/// put together into false ones.
class VerifierFuzzTest extends FuzzContract {
  private static final ReferenceLedger LOG = ReferenceLedger.sample();
  private static final ReferenceLedger FORK = ReferenceLedger.sample(100, 4, 4);
  private static final int SIZE = 12;
  private static final List<Integer> SIZES = List.of(2, 7, SIZE);
  private static final Signatures SIGNATURES = new JdkSignatures(new SplittableRandom(1));

  private static final Edits RECEIPTS = new Edits(receipts());
  private static final Edits FILES = new Edits(files());
  private static final Edits RANGES = new Edits(ranges());
  private static final Edits CHECKPOINTS = new Edits(checkpoints());
  private static final Edits STATEMENTS = new Edits(statements());
  private static final Edits FORKS = new Edits(forks());
  private static final Edits INCLUSIONS = new Edits(inclusions());
  private static final Edits CONSISTENCIES = new Edits(consistencies());
  private static final Edits OUTSIDES = new Edits(outsides());

  private static List<List<Bytes>> receipts() {
    List<List<Bytes>> all = new ArrayList<>();
    for (int size : SIZES) {
      for (int jsn = 0; jsn < size; jsn++) {
        all.add(List.of(LOG.leaf(jsn), LOG.receipt(jsn, size).encode()));
        all.add(List.of(FORK.leaf(jsn), FORK.receipt(jsn, size).encode()));
      }
    }
    // The logs have their first two leaves in common: a receipt of one is good for the other.
    return all;
  }

  private static List<List<Bytes>> files() {
    return receipts().stream()
        .map(parts -> List.of(new ReceiptFile(parts.get(0), receipt(parts.get(1))).encode()))
        .toList();
  }

  private static Receipt receipt(Bytes encoded) {
    try {
      return Receipt.decode(encoded);
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private static List<List<Bytes>> ranges() {
    List<List<Bytes>> all = new ArrayList<>();
    for (int size : SIZES) {
      for (int first = 0; first < size; first++) {
        int count = 1 + (first * 5 + size) % Math.min(4, size - first);
        for (ReferenceLedger log : List.of(LOG, FORK)) {
          List<Bytes> parts = new ArrayList<>();
          parts.add(log.rangeReceipt(first, count, size).encode());
          parts.addAll(log.leaves(first, count));
          all.add(parts);
        }
      }
    }
    return all;
  }

  private static List<List<Bytes>> checkpoints() {
    List<List<Bytes>> all = new ArrayList<>();
    for (int size : SIZES) {
      all.add(List.of(LOG.checkpoint(size)));
      all.add(List.of(FORK.checkpoint(size)));
    }
    return all;
  }

  private static List<List<Bytes>> statements() {
    List<List<Bytes>> all = new ArrayList<>(checkpoints());
    for (int size : SIZES) {
      all.add(List.of(statement(LOG, size)));
      all.add(List.of(statement(FORK, size)));
    }
    return all;
  }

  private static Bytes statement(ReferenceLedger log, int size) {
    return log.headSignature(size).statement(log.rootAt(size)).encode();
  }

  private static List<List<Bytes>> forks() {
    List<List<Bytes>> all = new ArrayList<>();
    for (Bytes one : List.of(statement(LOG, 7), LOG.checkpoint(7))) {
      for (Bytes other : List.of(statement(FORK, 7), FORK.checkpoint(7))) {
        all.add(List.of(new ForkEvidence(one, other, Optional.empty()).encode()));
      }
      for (Bytes other : List.of(statement(FORK, SIZE), FORK.checkpoint(SIZE))) {
        Optional<ConsistencyProof> proof = Optional.of(FORK.consistency(7, SIZE));
        all.add(List.of(new ForkEvidence(one, other, proof).encode()));
      }
    }
    return all;
  }

  /// As bytes: leaf hash, then the proof.
  private static List<List<Bytes>> inclusions() {
    List<List<Bytes>> all = new ArrayList<>();
    for (int jsn = 0; jsn < SIZE; jsn++) {
      InclusionProof proof = LOG.receipt(jsn, SIZE).proof();
      Bytes leaf = TreeHasher.leafHash(LOG.leaf(jsn)).toBytes();
      all.add(List.of(leaf, InclusionProofBytes.encode(proof)));
    }
    return all;
  }

  /// As bytes: the older root, then the proof in the form of an inclusion proof.
  private static List<List<Bytes>> consistencies() {
    List<List<Bytes>> all = new ArrayList<>();
    for (int from = 1; from <= SIZE; from++) {
      ConsistencyProof proof = LOG.consistency(from, SIZE);
      InclusionProof form = new InclusionProof(proof.from(), proof.to(), proof.path());
      all.add(List.of(LOG.rootAt(from).digest().toBytes(), InclusionProofBytes.encode(form)));
    }
    return all;
  }

  /// As bytes: the proof in the form of an inclusion proof, then the leaf hashes.
  private static List<List<Bytes>> outsides() {
    List<List<Bytes>> all = new ArrayList<>();
    for (int first = 0; first < SIZE; first++) {
      for (int count = 1; count <= Math.min(5, SIZE - first); count++) {
        RangeProof proof = LOG.rangeReceipt(first, count, SIZE).proof();
        List<Bytes> parts = new ArrayList<>();
        parts.add(
            InclusionProofBytes.encode(
                new InclusionProof(proof.first(), proof.treeSize(), proof.roots())));
        LOG.leaves(first, count).forEach(leaf -> parts.add(TreeHasher.leafHash(leaf).toBytes()));
        all.add(parts);
      }
    }
    return all;
  }

  @FuzzTest
  void receipt(byte[] program) {
    verify(
        RECEIPTS,
        program,
        parts ->
            Receipt.decode(parts.get(1))
                .verify(parts.get(0), LOG.strand(), LOG.keys(), SIGNATURES));
  }

  @FuzzTest
  void receiptFile(byte[] program) {
    verify(
        FILES,
        program,
        parts -> ReceiptFile.decode(parts.getFirst()).verify(LOG.strand(), LOG.keys(), SIGNATURES));
  }

  @FuzzTest
  void rangeReceipt(byte[] program) {
    verify(
        RANGES,
        program,
        parts ->
            RangeReceipt.decode(parts.getFirst())
                .verify(parts.subList(1, parts.size()), LOG.strand(), LOG.keys(), SIGNATURES));
  }

  /// A range receipt splits into receipts that prove what it proves, or not at all.
  @FuzzTest
  void splitRangeReceipt(byte[] program) {
    verify(
        RANGES,
        program,
        parts -> {
          List<Bytes> leaves = parts.subList(1, parts.size());
          List<Receipt> receipts = RangeReceipt.decode(parts.getFirst()).split(leaves);
          for (int i = 0; i < receipts.size(); i++) {
            receipts.get(i).verify(leaves.get(i), LOG.strand(), LOG.keys(), SIGNATURES);
          }
        });
  }

  /// A note may carry more lines than ours; what it states must be what was signed.
  @FuzzTest
  void checkpoint(byte[] program) {
    attempt(
        () -> {
          Bytes note = CHECKPOINTS.apply(program).getFirst();
          requireSigned(Checkpoint.verify(note, LOG.strand(), LOG.keys(), SIGNATURES));
        },
        ProofRejectedException.class);
  }

  @FuzzTest
  void headStatement(byte[] program) {
    attempt(
        () -> {
          Bytes statement = STATEMENTS.apply(program).getFirst();
          requireSigned(HeadStatement.verify(statement, LOG.strand(), LOG.keys(), SIGNATURES));
        },
        ProofRejectedException.class);
  }

  /// Whatever convicts the service, both heads are its own.
  @FuzzTest
  void forkEvidence(byte[] program) {
    attempt(
        () -> {
          Bytes evidence = FORKS.apply(program).getFirst();
          var fork = ForkEvidence.decode(evidence).confirm(LOG.strand(), LOG.keys(), SIGNATURES);
          requireSigned(fork.trusted());
          requireSigned(fork.offered());
        },
        MalformedException.class,
        ProofRejectedException.class);
  }

  @FuzzTest
  void inclusion(byte[] program) {
    verify(
        INCLUSIONS,
        program,
        parts -> {
          InclusionProof proof = InclusionProofBytes.decode(parts.get(1));
          requireSignedSize(proof.size());
          proof.verify(digest(parts.get(0)), LOG.rootAt(SIZE));
        });
  }

  @FuzzTest
  void consistency(byte[] program) {
    verify(
        CONSISTENCIES,
        program,
        parts -> {
          InclusionProof form = InclusionProofBytes.decode(parts.get(1));
          requireSignedSize(form.size());
          JournalRoot older = new JournalRoot(digest(parts.get(0)));
          if (form.index() < 1
              || form.index() > SIZE
              || !older.equals(LOG.rootAt((int) form.index()))) {
            throw new ProofRejectedException(
                Reason.WRONG_SIZE, "nobody signed " + older + " for size " + form.index());
          }
          new ConsistencyProof(form.index(), form.size(), form.path())
              .verify(older, LOG.rootAt(SIZE));
        });
  }

  @FuzzTest
  void range(byte[] program) {
    verify(
        OUTSIDES,
        program,
        parts -> {
          InclusionProof form = InclusionProofBytes.decode(parts.getFirst());
          requireSignedSize(form.size());
          List<Digest> leaves = new ArrayList<>();
          for (Bytes leaf : parts.subList(1, parts.size())) {
            leaves.add(digest(leaf));
          }
          new RangeProof(form.index(), leaves.size(), form.size(), form.path())
              .verify(leaves, LOG.rootAt(SIZE));
        });
  }

  /// As every caller does: a root alone does not say of how many leaves it is.
  private static void requireSignedSize(long size) throws ProofRejectedException {
    if (size != SIZE) {
      throw new ProofRejectedException(
          Reason.WRONG_SIZE, "proof in a tree of " + size + ", signed is " + SIZE);
    }
  }

  private static Digest digest(Bytes bytes) throws MalformedException {
    if (bytes.size() != Digest.BYTES) {
      throw new MalformedException("hash of " + bytes.size() + " bytes");
    }
    return Digest.of(bytes);
  }

  private static void requireSigned(SignedHead head) {
    int size = Math.toIntExact(head.size().value());
    if (!SIZES.contains(size)
        || !(head.root().equals(LOG.rootAt(size)) || head.root().equals(FORK.rootAt(size)))) {
      throw new AssertionError("nobody signed " + head);
    }
  }

  @FunctionalInterface
  private interface Verification {
    void verify(List<Bytes> parts) throws MalformedException, ProofRejectedException;
  }

  private void verify(Edits edits, byte[] program, Verification verification) {
    attempt(
        () -> {
          List<Bytes> parts = edits.apply(program);
          verification.verify(parts);
          edits.requireGenuine(parts);
        },
        MalformedException.class,
        ProofRejectedException.class);
  }
}
