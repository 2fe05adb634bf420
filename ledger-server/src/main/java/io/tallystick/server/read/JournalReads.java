package io.tallystick.server.read;

import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Sha256;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.JournalView;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.PayloadItem;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.server.seal.LeafBuilder;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.Location;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Reads one journal alone, at the cost of its own bytes and, in a batch, the headers of its seven
/// neighbours. What is read has no checksum: the caller compares the leaf with what was sealed; a
/// batch's proof must lead to the root of a batch all of whose leaves were, when it was first read;
/// a body has a checksum of its own. Thread-safe.
final class JournalReads {
  private final StoredBlocks stored;
  private final BlockPlans plans = new BlockPlans(BlockPlans.BYTES_MAX);

  JournalReads(StoredBlocks stored) {
    this.stored = stored;
  }

  JournalView read(StrandIndex strand, long jsn, boolean withBody)
      throws IOException, CorruptStreamException, RequestRejectedException {
    BlockPlan plan = plan(strand, jsn);
    BlockRow row = plan.row();
    if (jsn == row.sealJsn()) {
      Bytes seal = strand.sealLeaf(plan.height(), row);
      return new JournalView(jsn, seal, null, BodyState.NONE, null, null, Bytes.EMPTY, null);
    }
    if (plan.genesis()) {
      BlockInfo block = stored.block(strand.strand(), row);
      Bytes leaf = LeafBuilder.leaf(block, 0);
      return new JournalView(
          jsn, leaf, block.attestation(0), BodyState.NONE, null, null, Bytes.EMPTY, null);
    }
    return journal(strand, plan, jsn, withBody);
  }

  /// The plan of the block that holds a leaf, made from the block unless it is kept.
  BlockPlan plan(StrandIndex strand, long jsn) throws IOException, CorruptStreamException {
    BlockPlan known = plans.find(strand.strand(), jsn);
    if (known != null) {
      return known;
    }
    long height = strand.heightOf(jsn);
    BlockRow row = strand.block(height);
    BlockPlan plan = new BlockPlan(height, row, stored.block(strand.strand(), row));
    plans.add(strand.strand(), plan);
    return plan;
  }

  private JournalView journal(StrandIndex strand, BlockPlan plan, long jsn, boolean withBody)
      throws IOException, CorruptStreamException, RequestRejectedException {
    int journal = (int) (jsn - plan.row().firstJsn());
    int submission = plan.submissionOf(journal);
    int index = journal - plan.firstJournal(submission);
    int count = plan.journalsOf(submission);
    BatchTree tree = count == 1 ? null : tree(strand, plan, submission);
    Bytes attestation = tree == null ? attestation(plan, submission) : tree.attestation();
    Digest attestHash = tree == null ? Attestation.hash(attestation) : tree.attestHash();
    int first = index - index % BatchTree.GROUP;
    int end = Math.min(count, first + BatchTree.GROUP);
    int start = plan.headerOffset(submission, first);
    int length =
        plan.headerOffset(submission, end - 1) + plan.headerBytes(submission, end - 1) - start;
    byte[] headers = stored.readInfos(plan.row(), start, length);
    int headerAt = plan.headerOffset(submission, index) - start;
    Bytes leaf = leaf(plan, submission, index, headers, headerAt, attestHash);
    InclusionProof proof = tree == null ? null : proof(tree, plan, submission, index, headers);
    Bytes ops = Bytes.EMPTY;
    if (strand.hasState()) {
      Bytes header = Bytes.copyOf(headers, headerAt, plan.headerBytes(submission, index));
      ops = SealedOps.checked(jsn, header, ops(plan, journal));
    }
    if (!withBody) {
      return new JournalView(jsn, leaf, attestation, BodyState.NONE, null, null, ops, proof);
    }
    byte[] item = payload(strand, plan, submission, index);
    if (item == null) {
      return new JournalView(jsn, leaf, attestation, BodyState.ERASED, null, null, ops, proof);
    }
    return new JournalView(
        jsn,
        leaf,
        attestation,
        BodyState.PRESENT,
        LogReader.salt(item),
        LogReader.body(item),
        ops,
        proof);
  }

  private Bytes ops(BlockPlan plan, int journal) throws IOException, CorruptStreamException {
    int count = plan.opsBytes(journal);
    return count == 0
        ? Bytes.EMPTY
        : Bytes.wrap(stored.readInfos(plan.row(), plan.opsOffset(journal), count));
  }

  /// The operations that a journal wrote, for a caller that knows what its values commit to: the
  /// operations are not compared with the header here.
  ///
  /// @throws RequestRejectedException `DAMAGED`, naming the jsn, if the payload's checksum is
  ///   wrong; `ERASED`, naming the jsn of the occult
  StoredWrites writes(StrandIndex strand, long jsn)
      throws IOException, CorruptStreamException, RequestRejectedException {
    BlockPlan plan = plan(strand, jsn);
    if (jsn == plan.row().sealJsn() || plan.genesis()) {
      throw LogReader.damaged(jsn, "it has no operations");
    }
    int journal = (int) (jsn - plan.row().firstJsn());
    int submission = plan.submissionOf(journal);
    int index = journal - plan.firstJournal(submission);
    byte[] item = payload(strand, plan, submission, index);
    if (item == null) {
      throw LogReader.erased(strand, jsn);
    }
    return new StoredWrites(
        payloadAt(plan, submission, index), Bytes.wrap(item), ops(plan, journal));
  }

  private static Location payloadAt(BlockPlan plan, int submission, int index) {
    BlockRow row = plan.row();
    return new Location(row.frame(), row.payloadOffset() + plan.payloadOffset(submission, index));
  }

  /// Where the salt, the body and the checksum of a journal lie, which an occult may name.
  LogReader.ErasablePart erasable(StrandIndex strand, long jsn)
      throws IOException, CorruptStreamException, RequestRejectedException {
    BlockPlan plan = plan(strand, jsn);
    if (jsn == plan.row().sealJsn() || plan.genesis()) {
      throw LogReader.damaged(jsn, "it has no body, and is to be erased");
    }
    int journal = (int) (jsn - plan.row().firstJsn());
    int submission = plan.submissionOf(journal);
    int index = journal - plan.firstJournal(submission);
    return new LogReader.ErasablePart(
        payloadAt(plan, submission, index), plan.payloadBytes(submission, index));
  }

  /// Bytes that {@link #writes} has to read for a journal; those of its block too, if that was not
  /// known and was read now.
  long writesBytes(StrandIndex strand, long jsn) throws IOException, CorruptStreamException {
    BlockPlan known = plans.find(strand.strand(), jsn);
    BlockPlan plan = known == null ? plan(strand, jsn) : known;
    int blockBytes = known == null ? plan.infoBytes() : 0;
    if (jsn == plan.row().sealJsn() || plan.genesis()) {
      return blockBytes;
    }
    int journal = (int) (jsn - plan.row().firstJsn());
    int submission = plan.submissionOf(journal);
    int index = journal - plan.firstJournal(submission);
    return (long) blockBytes + plan.payloadBytes(submission, index) + plan.opsBytes(journal);
  }

  /// The leaf alone, at the cost of its own bytes once its block and batch are known.
  Bytes leaf(StrandIndex strand, long jsn)
      throws IOException, CorruptStreamException, RequestRejectedException {
    BlockPlan plan = plan(strand, jsn);
    if (jsn == plan.row().sealJsn() || plan.genesis()) {
      return read(strand, jsn, false).leaf();
    }
    int journal = (int) (jsn - plan.row().firstJsn());
    int submission = plan.submissionOf(journal);
    int index = journal - plan.firstJournal(submission);
    BatchTree tree = plan.journalsOf(submission) == 1 ? null : tree(strand, plan, submission);
    Digest attestHash =
        tree == null ? Attestation.hash(attestation(plan, submission)) : tree.attestHash();
    byte[] header =
        stored.readInfos(
            plan.row(), plan.headerOffset(submission, index), plan.headerBytes(submission, index));
    return leaf(plan, submission, index, header, 0, attestHash);
  }

  private static Bytes leaf(
      BlockPlan plan, int submission, int index, byte[] headers, int headerAt, Digest attestHash) {
    int headerBytes = plan.headerBytes(submission, index);
    long jsn = plan.row().firstJsn() + plan.firstJournal(submission) + index;
    int count = plan.journalsOf(submission);
    if (plan.delegated(submission)) {
      Bytes header = Bytes.copyOf(headers, headerAt, headerBytes);
      return LeafBuilder.delegated(jsn, plan.row().timeMs(), header, attestHash, index, count);
    }
    CborWriter out = new CborWriter(headerBytes + 96);
    JournalLeaf.encode(
        out, jsn, plan.row().timeMs(), headers, headerAt, headerBytes, attestHash, index, count);
    return out.toBytes();
  }

  /// @return null if it is erased, or is to be
  private byte @Nullable [] payload(StrandIndex strand, BlockPlan plan, int submission, int index)
      throws IOException, CorruptStreamException, RequestRejectedException {
    BlockRow row = plan.row();
    long jsn = row.firstJsn() + plan.firstJournal(submission) + index;
    if (LogReader.isErased(strand, jsn)) {
      return null;
    }
    byte[] item =
        stored.read(payloadAt(plan, submission, index), plan.payloadBytes(submission, index));
    if (!PayloadItem.isIntact(item, row.frameNumber(), plan.payloadOffset(submission, index))) {
      if (LogReader.isErased(strand, jsn)) {
        return null; // since it was asked before
      }
      throw ReadFaults.damagedBody(stored, jsn, payloadAt(plan, submission, index));
    }
    return item;
  }

  private Bytes attestation(BlockPlan plan, int submission)
      throws IOException, CorruptStreamException {
    return Bytes.wrap(
        stored.readInfos(
            plan.row(), plan.attestationOffset(submission), plan.attestationBytes(submission)));
  }

  /// @param headers of the member's group
  private static InclusionProof proof(
      BatchTree tree, BlockPlan plan, int submission, int index, byte[] headers)
      throws RequestRejectedException {
    int first = index - index % BatchTree.GROUP;
    int count = Math.min(BatchTree.GROUP, plan.journalsOf(submission) - first);
    byte[] hashes = new byte[count * Digest.BYTES];
    int at = 0;
    for (int i = 0; i < count; i++) {
      int length = plan.headerBytes(submission, first + i);
      TreeHasher.leafHash(Sha256.hash(headers, at, length)).copyInto(hashes, i * Digest.BYTES);
      at += length;
    }
    try {
      return tree.proof(index, hashes);
    } catch (ProofRejectedException e) {
      long jsn = plan.row().firstJsn() + plan.firstJournal(submission) + index;
      throw LogReader.damaged(jsn, String.valueOf(e.getMessage()));
    }
  }

  private BatchTree tree(StrandIndex strand, BlockPlan plan, int submission)
      throws IOException, CorruptStreamException, RequestRejectedException {
    BatchTree known = plan.tree(submission);
    if (known != null) {
      return known;
    }
    BlockInfo block = stored.block(strand.strand(), plan.row());
    BatchTree tree = tree(strand, block, submission);
    plan.keep(submission, tree);
    return tree;
  }

  /// The batch as it was committed: each member has the leaf hash that the accumulator holds.
  private static BatchTree tree(StrandIndex strand, BlockInfo block, int submission)
      throws IOException, CorruptStreamException, RequestRejectedException {
    int first = block.firstJournal(submission);
    int count = block.journalsOf(submission);
    Bytes attestation = block.attestation(submission);
    Digest attestHash = Attestation.hash(attestation);
    byte[] leafHashes = new byte[count * Digest.BYTES];
    strand.accumulator().leafHashes(block.firstJsn() + first, count, leafHashes, 0);
    byte[] hashes = new byte[count * Digest.BYTES];
    for (int i = 0; i < count; i++) {
      Bytes leaf = LeafBuilder.leaf(block, first + i, attestHash);
      LogReader.checked(
          block.firstJsn() + first + i, leaf, Digest.of(leafHashes, i * Digest.BYTES));
      Digest requestHash = RequestHeader.hash(block.header(first + i));
      TreeHasher.leafHash(requestHash).copyInto(hashes, i * Digest.BYTES);
    }
    return new BatchTree(attestation, attestHash, hashes);
  }
}
