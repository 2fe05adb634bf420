package io.tallystick.testkit;

import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.evidence.KeyChain;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SealLeaf;
import io.tallystick.journal.SignedRequest;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.RangeProof;
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
import io.tallystick.receipt.ReceiptFile;
import io.tallystick.testkit.forest.ReferenceForest;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A whole log with its signed heads, made from core's records, seeded keys and the recursive tree
/// alone: what a service must produce, and what a dishonest operator could. Checks nothing; blocks
/// are 10 ms apart unless a test says otherwise. Any size of it can be signed, also one that is no
/// block's end. The same calls give the same bytes. Not thread-safe.
public final class ReferenceLedger {
  /// What a seal states, right or wrong, of the leaves before it.
  public record Stated(long height, Digest journalRoot, Digest clueRoot, Digest stateRoot) {}

  private static final long BLOCK_MS = 10;
  private static final List<SeededSigner> SERVICE =
      List.of(Fixtures.RECEIPT, Fixtures.NEXT_RECEIPT, SeededSigner.ed25519("last receipt"));

  private final Fixtures fixtures;
  private final List<ReferenceEntry> entries = new ArrayList<>();
  private @Nullable ReferenceTree tree;
  private ServiceKeys keys;
  private boolean parametersChanged;
  private boolean cluesNamed;
  private long timeMs;
  private long height;
  private long firstJsn;
  private Digest previous = Digest.ZERO;

  private ReferenceLedger(Fixtures fixtures) {
    this.fixtures = fixtures;
    this.timeMs = fixtures.timeMs();
    GenesisParams params = fixtures.params();
    this.keys = new ServiceKeys(params.authority(), params.noteKey(), params.receiptKey());
  }

  /// Genesis and its seal.
  public static ReferenceLedger found(Fixtures fixtures) {
    return found(fixtures, fixtures.genesisAttestation().encode());
  }

  /// The same, founded by whoever made the attestation.
  public static ReferenceLedger found(Fixtures fixtures, Bytes attestation) {
    ReferenceLedger ledger = new ReferenceLedger(fixtures);
    GenesisLeaf leaf =
        new GenesisLeaf(
            ledger.timeMs, 0, fixtures.params().encode(), Attestation.hash(attestation));
    return ledger.add(new ReferenceEntry(leaf.encode(), attestation, Optional.empty())).seal();
  }

  /// The sample ledger: genesis, its seal, and blocks of Alice's journals.
  ///
  /// @param firstNumber of the requests: another number is another log with the same genesis
  /// @param journals how many the blocks after the first have
  public static ReferenceLedger sample(int firstNumber, int... journals) {
    Fixtures fixtures = Fixtures.ledger();
    ReferenceLedger log = found(fixtures);
    int number = firstNumber;
    for (int count : journals) {
      log.at(fixtures.timeMs());
      for (int end = number + count; number < end; number++) {
        log.append(fixtures.single(number));
      }
      log.seal();
    }
    return log;
  }

  /// A log of 12 leaves: genesis, seal, 4 journals, seal, 4 journals, seal.
  public static ReferenceLedger sample() {
    return sample(0, 4, 4);
  }

  /// The same log, to be continued on its own.
  public ReferenceLedger copy() {
    ReferenceLedger copy = new ReferenceLedger(fixtures);
    copy.entries.addAll(entries);
    copy.timeMs = timeMs;
    copy.height = height;
    copy.firstJsn = firstJsn;
    copy.previous = previous;
    copy.keys = keys;
    copy.parametersChanged = parametersChanged;
    copy.cluesNamed = cluesNamed;
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
    tree = null;
    entry.request().ifPresent(this::note);
    return this;
  }

  private void note(SignedRequest request) {
    try {
      RequestHeader header = RequestHeader.decode(request.header());
      parametersChanged |= header.kind() == Kind.PARAMETERS;
      cluesNamed |= !header.clueIds().isEmpty();
    } catch (MalformedException e) {
      // an entry that is no request changes nothing
    }
  }

  /// A block of one submission, at the time the ledger was founded.
  public ReferenceLedger block(Submission submission) {
    return block(submission, fixtures.timeMs(), false);
  }

  /// A block of one submission.
  ///
  /// @param delegated what its leaves are marked with
  public ReferenceLedger block(Submission submission, long atMs, boolean delegated) {
    return at(atMs).append(submission, delegated).seal();
  }

  /// A block of one journal whose seal states a root of the caller's.
  public ReferenceLedger falseBlock(Submission submission, Digest journalRoot) {
    return at(fixtures.timeMs())
        .append(submission)
        .seal(
            right -> new Stated(right.height(), journalRoot, right.clueRoot(), right.stateRoot()));
  }

  /// The newest journal rotated the service's keys to these.
  public ReferenceLedger rotated(SeededSigner note, SeededSigner receipt) {
    keys = keys.rotated(new Jsn(size() - 2), note.publicKey(), receipt.publicKey());
    return this;
  }

  /// Seals the open block and opens the next.
  public ReferenceLedger seal() {
    return seal(nextSeal());
  }

  /// Seals the open block and states what the caller makes of the truth.
  public ReferenceLedger seal(UnaryOperator<Stated> lie) {
    SealLeaf right = nextSeal();
    Stated stated =
        lie.apply(
            new Stated(right.height(), right.journalRoot(), right.clueRoot(), right.stateRoot()));
    return seal(
        new SealLeaf(
            right.jsn(),
            right.timeMs(),
            stated.height(),
            right.previous(),
            right.firstJsn(),
            stated.journalRoot(),
            stated.clueRoot(),
            stated.stateRoot()));
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
    boolean kept = parametersChanged || fixtures.params().features().contains(Feature.CLUE_TRIE);
    return kept && cluesNamed ? ReferenceClues.of(leaves()).root() : SealLeaf.EMPTY_CLUE_ROOT;
  }

  /// Of all operations so far, by the definition, those of the open block included.
  private Digest stateRoot() {
    return fixtures.params().stateParams() == null
        ? SealLeaf.EMPTY_STATE_ROOT
        : forestUpTo(size()).root();
  }

  /// The state after the journals below a size, which is that behind a seal.
  public ReferenceForest forestUpTo(int size) {
    return ReferenceStates.forest(
        Objects.requireNonNull(fixtures.params().stateParams()), entries.subList(0, size));
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

  /// Of the first `size` leaves, as heads have it.
  public JournalRoot rootAt(int size) {
    return new JournalRoot(root(size));
  }

  /// Over all leaves so far.
  public ReferenceTree tree() {
    if (tree == null) {
      tree = new ReferenceTree(leaves());
    }
    return tree;
  }

  /// From the first on.
  public List<Bytes> leaves() {
    return entries.stream().map(ReferenceEntry::leaf).toList();
  }

  public List<Bytes> leaves(int first, int count) {
    return leaves().subList(first, first + count);
  }

  public Bytes leaf(int jsn) {
    return entries.get(jsn).leaf();
  }

  /// Of the submission of a journal, or of genesis; empty for a seal.
  public Bytes attestation(int jsn) {
    int first = jsn;
    while (first > 0
        && entries.get(first).request().isPresent()
        && entries.get(first).attestation().isEmpty()) {
      first--;
    }
    return entries.get(first).attestation();
  }

  public Bytes params() {
    return fixtures.params().encode();
  }

  /// With those that {@link #rotated} said.
  public ServiceKeys keys() {
    return keys;
  }

  /// The signed note over the first `size` leaves, by the service's key.
  public Bytes checkpoint(int size) {
    return checkpoint(Fixtures.NOTE, size, root(size));
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
    return new Receipt(headSignature(signer, size), inclusion(index, size)).encode();
  }

  public Receipt receipt(int jsn, int size) {
    return new Receipt(headSignature(size), inclusion(jsn, size));
  }

  public RangeReceipt rangeReceipt(int first, int count, int size) {
    return new RangeReceipt(
        headSignature(size),
        new RangeProof(first, count, size, tree().outsideRange(first, count, size)));
  }

  /// Of the first `size` leaves, by the service's key.
  public HeadSignature headSignature(int size) {
    return headSignature(Fixtures.RECEIPT, size);
  }

  private HeadSignature headSignature(Signer signer, int size) {
    return HeadSignature.sign(
        signer, fixtures.params().authority(), strand(), new TreeSize(size), rootAt(size));
  }

  /// The inclusion path of a leaf in the tree of `size`.
  public InclusionProof inclusion(int jsn, int size) {
    return new InclusionProof(jsn, size, tree().inclusionPath(jsn, size));
  }

  public ConsistencyProof consistency(int from, int to) {
    return new ConsistencyProof(from, to, tree().consistencyPath(from, to));
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
    return new ReceiptFile(
        leaf(jsn), new Receipt(headSignature(signer, size), inclusion(jsn, size)));
  }

  /// Journals as a key chain holds them, each under the head of its own block.
  public KeyChain chain(Integer... jsns) {
    return new KeyChain(Stream.of(jsns).map(this::entry).toList());
  }

  public KeyChain.Entry entry(int jsn) {
    return new KeyChain.Entry(receiptFile(jsn, jsn + 2).encode(), attestation(jsn));
  }
}
