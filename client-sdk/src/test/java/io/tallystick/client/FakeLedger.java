package io.tallystick.client;

import io.tallystick.journal.Attestation;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SealLeaf;
import io.tallystick.journal.SignedRequest;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.RangeProof;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.note.Checkpoint;
import io.tallystick.receipt.HeadSignature;
import io.tallystick.receipt.RangeReceipt;
import io.tallystick.receipt.Receipt;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceClues;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;
import java.util.function.UnaryOperator;

/// One ledger of the fake service: a list of leaves, and proofs by the reference tree. Every
/// submission is a block. Not thread-safe.
final class FakeLedger {
  /// What was committed for a submission.
  record Committed(long firstJsn, int count, long timeMs) {}

  /// A leaf with what stands beside it.
  record Entry(
      Bytes leaf,
      Bytes attestation,
      Bytes salt,
      Bytes body,
      Bytes ops,
      List<Digest> batch,
      int batchIndex) {
    /// Of genesis or a seal.
    static Entry bare(Bytes leaf, Bytes attestation) {
      return new Entry(leaf, attestation, Bytes.EMPTY, Bytes.EMPTY, Bytes.EMPTY, List.of(), 0);
    }
  }

  final GenesisParams params;
  final Bytes attestation;
  final List<Entry> entries = new ArrayList<>();
  final List<Integer> seals = new ArrayList<>();
  final Map<Bytes, Committed> seen = new HashMap<>();
  private Digest previousSeal = Digest.ZERO;
  private boolean clueUsed;

  /// The writes of each block to the state.
  final List<List<StateEntry>> writes = new ArrayList<>();

  /// What the forest takes instead of a block's writes.
  UnaryOperator<List<StateEntry>> stateTampering = UnaryOperator.identity();

  /// The height that the seal of a block names.
  IntToLongFunction sealedHeights = height -> height;

  private ReferenceTree tree = new ReferenceTree(List.of());

  FakeLedger(GenesisParams params, Bytes attestation, long timeMs) {
    this.params = params;
    this.attestation = attestation;
    Bytes leaf =
        new GenesisLeaf(timeMs, 0, params.encode(), Attestation.hash(attestation)).encode();
    entries.add(Entry.bare(leaf, attestation));
    seal(0, timeMs);
  }

  private FakeLedger(FakeLedger other) {
    params = other.params;
    attestation = other.attestation;
    entries.addAll(other.entries);
    seals.addAll(other.seals);
    seen.putAll(other.seen);
    previousSeal = other.previousSeal;
    clueUsed = other.clueUsed;
    writes.addAll(other.writes);
    tree = other.tree;
  }

  /// The same log, to go its own way from here.
  FakeLedger copy() {
    return new FakeLedger(this);
  }

  Committed append(List<SignedRequest> requests, Bytes attest, long timeMs) {
    Committed repeated = seen.get(attest);
    if (repeated != null) {
      return repeated;
    }
    int first = entries.size();
    Committed committed = add(requests, attest, timeMs);
    seal(first, timeMs);
    return committed;
  }

  /// Several new submissions in one block.
  List<Committed> appendTogether(List<Submission> submissions, long timeMs) {
    int first = entries.size();
    List<Committed> committed = new ArrayList<>();
    for (Submission each : submissions) {
      committed.add(add(each.requests(), each.attestation(), timeMs));
    }
    seal(first, timeMs);
    return committed;
  }

  private Committed add(List<SignedRequest> requests, Bytes attest, long timeMs) {
    int first = entries.size();
    List<Digest> hashes = Fixtures.hashes(requests);
    for (int i = 0; i < requests.size(); i++) {
      SignedRequest request = requests.get(i);
      clueUsed |= namesClue(request);
      Jsn jsn = new Jsn(entries.size());
      Bytes leaf =
          new JournalLeaf(
                  jsn, timeMs, request.header(), Attestation.hash(attest), i, requests.size())
              .encode();
      List<Digest> batch = requests.size() == 1 ? List.of() : hashes;
      entries.add(new Entry(leaf, attest, request.salt(), request.body(), request.ops(), batch, i));
    }
    Committed committed = new Committed(first, requests.size(), timeMs);
    seen.put(attest, committed);
    return committed;
  }

  private void seal(int first, long timeMs) {
    grow();
    int jsn = entries.size();
    writes.add(stateTampering.apply(FakeStates.writes(this, first, jsn)));
    Digest clueRoot = clueUsed ? clues(jsn).root() : SealLeaf.EMPTY_CLUE_ROOT;
    Bytes leaf =
        new SealLeaf(
                new Jsn(jsn),
                timeMs,
                sealedHeights.applyAsLong(seals.size()),
                previousSeal,
                new Jsn(first),
                tree.root(jsn),
                clueRoot,
                stateRoot())
            .encode();
    entries.add(Entry.bare(leaf, Bytes.EMPTY));
    seals.add(jsn);
    grow();
    previousSeal = tree.leafHash(jsn);
  }

  private Digest stateRoot() {
    return params.stateParams() == null
        ? SealLeaf.EMPTY_STATE_ROOT
        : FakeStates.forest(this, writes.size() - 1).root();
  }

  private static boolean namesClue(SignedRequest request) {
    try {
      return !RequestHeader.decode(request.header()).clueIds().isEmpty();
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  /// The clues of the first `size` leaves.
  ReferenceClues clues(int size) {
    return ReferenceClues.of(entries.subList(0, size).stream().map(Entry::leaf).toList());
  }

  private void grow() {
    tree = new ReferenceTree(entries.stream().map(Entry::leaf).toList());
  }

  StrandId strand() {
    return new StrandId(params.ledgerId(), 0);
  }

  int size() {
    return entries.size();
  }

  ReferenceTree tree() {
    return tree;
  }

  /// Size of the head that first covers `jsn`.
  int headSize(long jsn) {
    return seals.stream().filter(seal -> seal >= jsn).findFirst().orElseThrow() + 1;
  }

  HeadSignature head(int size) {
    return HeadSignature.sign(
        Fixtures.RECEIPT, params.authority(), strand(), new TreeSize(size), root(size));
  }

  JournalRoot root(int size) {
    return new JournalRoot(tree.root(size));
  }

  RangeReceipt rangeReceipt(Committed committed) {
    int size = headSize(committed.firstJsn());
    int first = (int) committed.firstJsn();
    return new RangeReceipt(
        head(size),
        new RangeProof(
            first, committed.count(), size, tree.outsideRange(first, committed.count(), size)));
  }

  Receipt receipt(long jsn) {
    int size = headSize(jsn);
    return new Receipt(
        head(size), new InclusionProof(jsn, size, tree.inclusionPath((int) jsn, size)));
  }

  Bytes checkpoint(int size) {
    return Checkpoint.sign(
            Fixtures.NOTE, params.authority(), strand(), new TreeSize(size), root(size))
        .encode();
  }
}
