package io.tallystick.server.seal;

import io.tallystick.cbor.CborWriter;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.server.frame.BlockInfo;

/// Rebuilds the leaves of a committed block and hashes them in bulk. Not thread-safe; reused.
public final class LeafBuilder {
  private final CborWriter leaves = new CborWriter(1 << 16);
  private final BatchHasher hasher;

  public LeafBuilder(BatchHasher hasher) {
    this.hasher = hasher;
  }

  /// Leaf hashes of all of a block's journals, 32 bytes each.
  public byte[] leafHashes(BlockInfo block) {
    int journals = block.journals();
    int[] offsets = new int[journals + 1];
    leaves.reset();
    int journal = 0;
    for (int submission = 0; submission < block.submissions(); submission++) {
      Digest attestHash = block.attestationHash(submission);
      for (int end = journal + block.journalsOf(submission); journal < end; journal++) {
        encode(leaves, block, journal, attestHash);
        offsets[journal + 1] = leaves.length();
      }
    }
    byte[] hashes = new byte[journals * Digest.BYTES];
    hasher.leaves(leaves.buffer(), offsets, journals, hashes, 0);
    return hashes;
  }

  /// One leaf of a block.
  public static Bytes leaf(BlockInfo block, int journal) {
    CborWriter out = new CborWriter(block.headerBytes(journal) + 96);
    encode(out, block, journal, block.attestationHash(block.submissionOf(journal)));
    return out.toBytes();
  }

  /// One leaf of a block, whose attestation hash the caller knows.
  public static Bytes leaf(BlockInfo block, int journal, Digest attestHash) {
    CborWriter out = new CborWriter(block.headerBytes(journal) + 96);
    encode(out, block, journal, attestHash);
    return out.toBytes();
  }

  public static void encode(CborWriter out, BlockInfo block, int journal, Digest attestHash) {
    if (block.genesis()) {
      out.raw(
          new GenesisLeaf(
                  block.timeMs(), block.strand().strand(), block.header(journal), attestHash)
              .encode());
      return;
    }
    long jsn = block.firstJsn() + journal;
    int batchIndex = block.batchIndex(journal);
    int batchCount = block.journalsOf(block.submissionOf(journal));
    if (block.delegated(journal)) {
      Bytes header = block.header(journal);
      out.raw(delegated(jsn, block.timeMs(), header, attestHash, batchIndex, batchCount));
      return;
    }
    JournalLeaf.encode(
        out,
        jsn,
        block.timeMs(),
        block.headerArray(),
        block.headerPosition(journal),
        block.headerBytes(journal),
        attestHash,
        batchIndex,
        batchCount);
  }

  /// The leaf of a journal of which the key of a signer is delegated.
  public static Bytes delegated(
      long jsn, long timeMs, Bytes header, Digest attestHash, int batchIndex, int batchCount) {
    return new JournalLeaf(new Jsn(jsn), timeMs, header, attestHash, batchIndex, batchCount, true)
        .encode();
  }
}
