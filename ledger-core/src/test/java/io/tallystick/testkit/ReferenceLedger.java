package io.tallystick.testkit;

import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.Op;
import io.tallystick.journal.Ops;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SealLeaf;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.note.Checkpoint;
import io.tallystick.receipt.HeadSignature;
import io.tallystick.receipt.Receipt;
import io.tallystick.testkit.forest.ReferenceForest;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// A whole log with its signed heads, made from core's records, seeded keys and the recursive tree
/// alone: what a service must produce, and what a dishonest operator could. Checks nothing; blocks
/// are 10 ms apart unless a test says otherwise. Not thread-safe.
public final class ReferenceLedger {
  private static final long BLOCK_MS = 10;

  private final Fixtures fixtures;
  private final List<ReferenceEntry> entries = new ArrayList<>();
  private boolean parametersChanged;
  private long timeMs;
  private long height;
  private long firstJsn;
  private Digest previous = Digest.ZERO;

  private ReferenceLedger(Fixtures fixtures) {
    this.fixtures = fixtures;
    this.timeMs = fixtures.timeMs();
  }

  /// Genesis and its seal.
  public static ReferenceLedger found(Fixtures fixtures) {
    ReferenceLedger ledger = new ReferenceLedger(fixtures);
    Bytes attestation = fixtures.genesisAttestation().encode();
    GenesisLeaf leaf =
        new GenesisLeaf(
            ledger.timeMs, 0, fixtures.params().encode(), Attestation.hash(attestation));
    return ledger.add(new ReferenceEntry(leaf.encode(), attestation, Optional.empty())).seal();
  }

  /// The same log, to be continued on its own.
  public ReferenceLedger copy() {
    ReferenceLedger copy = new ReferenceLedger(fixtures);
    copy.entries.addAll(entries);
    copy.timeMs = timeMs;
    copy.height = height;
    copy.firstJsn = firstJsn;
    copy.previous = previous;
    copy.parametersChanged = parametersChanged;
    return copy;
  }

  /// The log an operator makes of changed entries when it numbers and seals them anew: journals
  /// keep all but their jsn, seals only their time. The heads are signed by the service's own keys.
  public static ReferenceLedger resealed(Fixtures fixtures, List<ReferenceEntry> changed)
      throws MalformedException {
    ReferenceLedger ledger = new ReferenceLedger(fixtures);
    for (ReferenceEntry entry : changed) {
      Leaf leaf = Leaf.decode(entry.leaf());
      ledger.at(leaf.timeMs());
      switch (leaf) {
        case GenesisLeaf unused -> ledger.add(entry);
        case SealLeaf unused -> ledger.seal();
        case JournalLeaf journal ->
            ledger.add(entry.withLeaf(moved(journal, ledger.size()).encode()));
      }
    }
    return ledger;
  }

  private static JournalLeaf moved(JournalLeaf leaf, long jsn) {
    return new JournalLeaf(
        new Jsn(jsn),
        leaf.timeMs(),
        leaf.header(),
        leaf.attestHash(),
        leaf.batchIndex(),
        leaf.batchCount(),
        leaf.delegated());
  }

  /// Sets the time of the leaves that follow.
  public ReferenceLedger at(long newTimeMs) {
    timeMs = newTimeMs;
    return this;
  }

  /// The journals of a submission, into the open block.
  public ReferenceLedger append(Submission submission) {
    return append(submission, false);
  }

  /// The same.
  ///
  /// @param delegated what its leaves are marked with
  public ReferenceLedger append(Submission submission, boolean delegated) {
    List<SignedRequest> requests = submission.requests();
    Digest attestHash = Attestation.hash(submission.attestation());
    for (int i = 0; i < requests.size(); i++) {
      JournalLeaf leaf =
          new JournalLeaf(
              new Jsn(size()),
              timeMs,
              requests.get(i).header(),
              attestHash,
              i,
              requests.size(),
              delegated);
      Bytes attestation = i == 0 ? submission.attestation() : Bytes.EMPTY;
      add(new ReferenceEntry(leaf.encode(), attestation, Optional.of(requests.get(i))));
    }
    return this;
  }

  /// Adds an entry as it is.
  public ReferenceLedger add(ReferenceEntry entry) {
    entries.add(entry);
    parametersChanged |= entry.request().map(ReferenceLedger::changesParameters).orElse(false);
    return this;
  }

  private static boolean changesParameters(SignedRequest request) {
    try {
      return RequestHeader.decode(request.header()).kind() == Kind.PARAMETERS;
    } catch (MalformedException e) {
      return false;
    }
  }

  /// Seals the open block and opens the next.
  public ReferenceLedger seal() {
    return seal(nextSeal());
  }

  /// Adds a seal as it is and opens the next block behind it.
  public ReferenceLedger seal(SealLeaf seal) {
    add(new ReferenceEntry(seal.encode(), Bytes.EMPTY, Optional.empty()));
    previous = seal.leafHash();
    height = seal.height() + 1;
    firstJsn = size();
    timeMs += BLOCK_MS;
    return this;
  }

  /// The right seal for the leaves of the open block.
  public SealLeaf nextSeal() {
    return new SealLeaf(
        new Jsn(size()),
        timeMs,
        height,
        previous,
        new Jsn(firstJsn),
        root(),
        clueRoot(),
        stateRoot());
  }

  private Digest clueRoot() {
    return parametersChanged || fixtures.params().features().contains(Feature.CLUE_TRIE)
        ? ReferenceClues.of(leaves()).root()
        : SealLeaf.EMPTY_CLUE_ROOT;
  }

  /// Of all operations so far, by the definition, those of the open block included.
  private Digest stateRoot() {
    StateParams params = fixtures.params().stateParams();
    if (params == null) {
      return SealLeaf.EMPTY_STATE_ROOT;
    }
    return forest(params, entries.size()).root();
  }

  /// The state after the journals below a size, which is that behind a seal.
  public ReferenceForest forestUpTo(int size) {
    return forest(Objects.requireNonNull(fixtures.params().stateParams()), size);
  }

  private ReferenceForest forest(StateParams params, int size) {
    ReferenceForest forest = new ReferenceForest(params);
    List<StateEntry> writes = new ArrayList<>();
    long block = 0;
    for (int jsn = 1; jsn < size; jsn++) {
      Optional<SignedRequest> request = entries.get(jsn).request();
      if (request.isPresent()) {
        writes.addAll(writes(request.get(), jsn));
      } else {
        forest.apply(block++, writes);
        writes.clear();
      }
    }
    forest.apply(block, writes);
    return forest;
  }

  private static List<StateEntry> writes(SignedRequest request, long jsn) {
    try {
      return Ops.decode(request.ops()).values().stream().map(op -> entry(op, jsn)).toList();
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private static StateEntry entry(Op op, long jsn) {
    return switch (op) {
      case Op.Put put ->
          StateEntry.put(put.key(), put.valueCommit(), put.valueSizeBytes(), new Jsn(jsn));
      case Op.Delete delete -> StateEntry.tombstone(delete.key(), new Jsn(jsn));
    };
  }

  /// One block for each submission.
  public ReferenceLedger blocks(Submission... submissions) {
    for (Submission submission : submissions) {
      append(submission).seal();
    }
    return this;
  }

  public Fixtures fixtures() {
    return fixtures;
  }

  public StrandId strand() {
    return fixtures.strand();
  }

  public List<ReferenceEntry> entries() {
    return List.copyOf(entries);
  }

  public int size() {
    return entries.size();
  }

  /// Of all leaves so far.
  public Digest root() {
    return tree().root(size());
  }

  /// Of the first `size` leaves.
  public Digest root(int size) {
    return tree().root(size);
  }

  private ReferenceTree tree() {
    return new ReferenceTree(leaves());
  }

  /// From the first on.
  public List<Bytes> leaves() {
    return entries.stream().map(ReferenceEntry::leaf).toList();
  }

  /// The signed note over all leaves, by the service's key.
  public Bytes checkpoint() {
    return checkpoint(Fixtures.NOTE, size(), root());
  }

  public Bytes checkpoint(Signer signer, long size, Digest root) {
    return Checkpoint.sign(
            signer,
            fixtures.params().authority(),
            strand(),
            new TreeSize(size),
            new JournalRoot(root))
        .encode();
  }

  /// The receipt of the last leaf under the head over all leaves, by the service's key.
  public Bytes headReceipt() {
    return headReceipt(Fixtures.RECEIPT);
  }

  public Bytes headReceipt(Signer signer) {
    return receipt(signer, size(), size() - 1);
  }

  /// The receipt of leaf `index` under the head of the first `size` leaves.
  public Bytes receipt(Signer signer, int size, int index) {
    HeadSignature head =
        HeadSignature.sign(
            signer,
            fixtures.params().authority(),
            strand(),
            new TreeSize(size),
            new JournalRoot(root(size)));
    return new Receipt(head, new InclusionProof(index, size, tree().inclusionPath(index, size)))
        .encode();
  }
}
