package io.tallystick.server.read;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.head.LastSeal;
import io.tallystick.head.ServiceKeys;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.RangeProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.BlockView;
import io.tallystick.node.JournalView;
import io.tallystick.node.ProvenLeaf;
import io.tallystick.receipt.HeadSignature;
import io.tallystick.receipt.RangeReceipt;
import io.tallystick.receipt.Receipt;
import io.tallystick.receipt.ReceiptFile;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.seal.SealedHead;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.tile.TilePath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Makes receipts and proofs from what a strand has sealed. Every proof is verified before it
/// leaves: stored damage becomes an error here, never a wrong answer. Thread-safe.
public final class Evidence {
  private static final BatchHasher HASHER = BatchHasher.cpu();

  private final HeadSigner signer;
  private final ProvenTrees proven = new ProvenTrees();

  public Evidence(HeadSigner signer) {
    this.signer = signer;
  }

  /// The range receipt of leaves of one block under its head.
  public Bytes rangeReceipt(StrandIndex strand, BlockRow row, long firstJsn, int count)
      throws IOException, CorruptStreamException, RequestRejectedException {
    if (count < 1 || firstJsn < row.firstJsn() || firstJsn + count > row.size()) {
      throw new RequestRejectedException(
          RejectionCode.OUT_OF_RANGE,
          String.format(
              Locale.ROOT,
              "leaves %d to %d are not in the block of %d to %d",
              firstJsn,
              firstJsn + count - 1,
              row.firstJsn(),
              row.sealJsn()));
    }
    RangeProof proof = strand.accumulator().range(firstJsn, count, row.size());
    verify(firstJsn, () -> proof.verify(leafHashes(strand, firstJsn, count), rootOf(row)));
    return new RangeReceipt(head(strand, row), proof).encode();
  }

  /// The COSE receipt of one leaf under the head of its block.
  public Bytes receipt(StrandIndex strand, BlockRow row, long jsn)
      throws IOException, CorruptStreamException, RequestRejectedException {
    InclusionProof proof = strand.accumulator().inclusion(jsn, row.size());
    Digest leaf = strand.accumulator().leafHash(jsn);
    verify(jsn, () -> proof.verify(leaf, rootOf(row)));
    return new Receipt(head(strand, row), proof).encode();
  }

  /// A journal with its receipt.
  public Bytes receiptFile(StrandIndex strand, JournalView journal)
      throws IOException, CorruptStreamException, RequestRejectedException {
    Bytes receipt = receipt(strand, strand.block(strand.heightOf(journal.jsn())), journal.jsn());
    try {
      return new ReceiptFile(journal.leaf(), Receipt.decode(receipt)).encode();
    } catch (MalformedException e) {
      throw new AssertionError("a receipt of our own does not decode", e);
    }
  }

  /// A sealed block with the head signed over it.
  public BlockView block(StrandIndex strand, long height, BlockRow row)
      throws IOException, CorruptStreamException, RequestRejectedException {
    return new BlockView(
        height,
        row.firstJsn(),
        row.sealJsn(),
        row.timeMs(),
        strand.sealLeaf(height, row),
        row.sealHash(),
        row.size(),
        row.headRoot(),
        receipt(strand, row, row.sealJsn()));
  }

  /// The seal of a block as the last leaf under the block's head.
  public LastSeal lastSeal(StrandIndex strand, long height, BlockRow row)
      throws IOException, CorruptStreamException, RequestRejectedException {
    Bytes seal = strand.sealLeaf(height, row);
    InclusionProof path = inclusion(strand, row.sealJsn(), row.size(), TreeHasher.leafHash(seal));
    return new LastSeal(seal, path.path());
  }

  /// The leaf hash of a journal and its inclusion path in any tree up to the newest head.
  public ProvenLeaf inclusion(StrandIndex strand, long jsn, long size)
      throws IOException, CorruptStreamException, RequestRejectedException {
    Digest leaf = strand.accumulator().leafHash(jsn);
    return new ProvenLeaf(leaf, inclusion(strand, jsn, size, leaf));
  }

  /// The inclusion path of a leaf at hand, which is thereby found to be the one that was sealed.
  ///
  /// @param leaf its leaf hash
  public InclusionProof inclusion(StrandIndex strand, long jsn, long size, Digest leaf)
      throws IOException, CorruptStreamException, RequestRejectedException {
    InclusionProof proof = strand.accumulator().inclusion(jsn, size);
    JournalRoot root = rootAt(strand, size, jsn);
    try {
      verify(jsn, () -> proof.verify(leaf, root));
    } catch (RequestRejectedException e) {
      throw strand.accumulator().leafHash(jsn).equals(leaf) ? e : damagedJournal(jsn, e);
    }
    return proof;
  }

  /// The tree is right as far as can be seen; what is stored of the journal is another leaf.
  private static RequestRejectedException damagedJournal(long jsn, RequestRejectedException cause) {
    return new RequestRejectedException(
            RejectionCode.DAMAGED,
            "journal " + jsn + " is damaged: it is not the leaf that was sealed",
            cause)
        .atJsn(jsn);
  }

  /// The consistency path between two trees up to the newest head.
  public ConsistencyProof consistency(StrandIndex strand, long from, long to)
      throws IOException, CorruptStreamException, RequestRejectedException {
    ConsistencyProof proof = strand.accumulator().consistency(from, to);
    JournalRoot fromRoot = rootAt(strand, from, from);
    JournalRoot toRoot = rootAt(strand, to, from);
    verify(from, () -> proof.verify(fromRoot, toRoot));
    return proof;
  }

  /// The root of the first `size` leaves, which the newest head is proven to extend: a root that is
  /// only recomputed from stored hashes would agree with any damage among them.
  private JournalRoot rootAt(StrandIndex strand, long size, long jsn)
      throws IOException, CorruptStreamException, RequestRejectedException {
    SealedHead head = strand.head();
    JournalRoot newest = new JournalRoot(head.root());
    if (size == head.size()) {
      return newest;
    }
    JournalRoot before = proven.root(strand, size);
    if (before != null) {
      return before;
    }
    JournalRoot root = new JournalRoot(strand.accumulator().rootAt(size));
    ConsistencyProof proof = strand.accumulator().consistency(size, head.size());
    verify(jsn, () -> proof.verify(root, newest));
    proven.keep(strand, size, root);
    return root;
  }

  /// Hashes of complete subtrees of `256^level` leaves, as many as a tile holds or fewer, side by
  /// side; proven by the newest head before they leave.
  public byte[] tile(StrandIndex strand, int level, long first, int count)
      throws IOException, CorruptStreamException, RequestRejectedException {
    long complete =
        level <= TilePath.LEVEL_MAX ? strand.head().size() >> (level * TilePath.HEIGHT) : 0;
    if (first < 0 || count < 1 || first > complete - count) {
      throw new RequestRejectedException(
              RejectionCode.OUT_OF_RANGE,
              String.format(
                  Locale.ROOT,
                  "hashes %d to %d of tile level %d do not exist; there are %d",
                  first,
                  first + count - 1,
                  level,
                  complete))
          .withLimit(complete);
    }
    byte[] hashes = stored(strand, level, first, count);
    checkTile(strand, level, first, hashes);
    return hashes;
  }

  private static byte[] stored(StrandIndex strand, int level, long first, int count)
      throws IOException, CorruptStreamException {
    byte[] hashes = new byte[count * Digest.BYTES];
    strand.accumulator().hashes(level * TilePath.HEIGHT, first, count, hashes, 0);
    return hashes;
  }

  /// That the newest head proves these hashes: those of a full tile through the hash above them,
  /// others through the root of the tree that ends behind them.
  private void checkTile(StrandIndex strand, int level, long first, byte[] hashes)
      throws IOException, CorruptStreamException, RequestRejectedException {
    int count = hashes.length / Digest.BYTES;
    int below = level * TilePath.HEIGHT;
    if (count == TilePath.WIDTH) {
      long index = first / TilePath.WIDTH;
      Digest root = TreeHasher.rootInPlace(HASHER, hashes.clone(), count);
      if (!root.equals(above(strand, level + 1, index).hash(index))) {
        throw damagedTile(level, first);
      }
      return;
    }
    long size = (first + count) << below;
    Digest root = strand.accumulator().rootWith(below, first, hashes);
    if (!rootAt(strand, size, size - 1).digest().equals(root)) {
      throw damagedTile(level, first);
    }
  }

  /// Hashes of the tile that contains the one at `index`, as many as are complete: a reader of one
  /// tile reads the next ones, too.
  private ProvenTrees.Hashes above(StrandIndex strand, int level, long index)
      throws IOException, CorruptStreamException, RequestRejectedException {
    ProvenTrees.Hashes kept = proven.hashes(strand, level, index);
    if (kept != null) {
      return kept;
    }
    long first = index - index % TilePath.WIDTH;
    long complete = strand.head().size() >> (level * TilePath.HEIGHT);
    byte[] hashes = stored(strand, level, first, (int) Math.min(TilePath.WIDTH, complete - first));
    checkTile(strand, level, first, hashes);
    return proven.keep(strand, level, first, Bytes.wrap(hashes));
  }

  private static RequestRejectedException damagedTile(int level, long first) {
    return new RequestRejectedException(
        RejectionCode.DAMAGED,
        String.format(
            Locale.ROOT,
            "the stored hashes of tile level %d from %d on contradict each other",
            level,
            first));
  }

  /// The newest signed head as a checkpoint.
  public Bytes checkpoint(StrandIndex strand, SealedHead head) throws IOException {
    return signer.checkpoint(strand.strand(), head);
  }

  private HeadSignature head(StrandIndex strand, BlockRow row) throws IOException {
    Bytes signature = row.headSignature();
    ServiceKeys keys = strand.head().members().service().keys();
    if (signature == null) {
      // Its signature was lost in a crash: the same key over the same head gives the same bytes.
      signature = signer.sign(keys, strand.strand(), row.size(), row.headRoot());
    }
    return signer.stored(keys, strand.strand(), row.size(), signature);
  }

  private static JournalRoot rootOf(BlockRow row) {
    return new JournalRoot(row.headRoot());
  }

  private static List<Digest> leafHashes(StrandIndex strand, long first, int count)
      throws IOException, CorruptStreamException {
    byte[] hashes = new byte[count * Digest.BYTES];
    strand.accumulator().leafHashes(first, count, hashes, 0);
    List<Digest> digests = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      digests.add(Digest.of(hashes, i * Digest.BYTES));
    }
    return digests;
  }

  private static void verify(long jsn, Check check)
      throws IOException, CorruptStreamException, RequestRejectedException {
    try {
      check.run();
    } catch (ProofRejectedException e) {
      throw new RequestRejectedException(
              RejectionCode.DAMAGED, "the stored tree does not prove journal " + jsn, e)
          .atJsn(jsn);
    }
  }

  @FunctionalInterface
  private interface Check {
    void run() throws IOException, CorruptStreamException, ProofRejectedException;
  }
}
