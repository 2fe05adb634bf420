package io.tallystick.server.read;

import io.tallystick.cbor.CborWriter;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.BundlePiece;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.PayloadItem;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.server.seal.LeafBuilder;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.tile.BundleWriter;
import io.tallystick.tile.TileBundle;
import io.tallystick.tile.TilePath;
import java.io.IOException;
import java.util.Arrays;

/// Cuts bundles of the public read path out of the commit stream, each from no more than what it
/// holds. Leaves, and the leaf that names an attestation, are compared with the hashes in the
/// accumulator; a body has a checksum of its own. Without an object for each leaf. Thread-safe.
///
/// Source: docs/formats/tiles.md.
final class BundleReader {
  /// A piece is full when it passes this; its last item is taken whole.
  static final int PIECE_BYTES = 768 << 10;

  private static final int LEAF_BYTES_USUAL = 192;

  /// With its salt and length.
  private static final int BODY_BYTES_USUAL = 512;

  private final StoredBlocks stored;
  private final RecentBlocks recent;
  private final BatchHasher hasher;

  BundleReader(StoredBlocks stored, RecentBlocks recent, BatchHasher hasher) {
    this.stored = stored;
    this.recent = recent;
    this.hasher = hasher;
  }

  /// Walks blocks: what of each lies in a range.
  private interface PerBlock {
    /// Takes journals `[from, to)`, at least one, as long as there is room.
    ///
    /// @return the jsn behind the last that was taken
    long journals(BlockRow row, BlockInfo block, long from, long to)
        throws IOException, CorruptStreamException, RequestRejectedException;

    void seal(long height, BlockRow row) throws IOException, CorruptStreamException;

    int length();
  }

  private long walk(StrandIndex strand, long from, long to, PerBlock visit)
      throws IOException, RequestRejectedException {
    long jsn = from;
    try {
      while (jsn < to && visit.length() < PIECE_BYTES) {
        RecentBlocks.Place place = recent.holding(strand, jsn);
        BlockRow row = place.row();
        long end = Math.min(to, row.sealJsn());
        if (jsn < end) {
          jsn = visit.journals(row, recent.block(place), jsn, end);
        }
        if (jsn == row.sealJsn() && jsn < to && visit.length() < PIECE_BYTES) {
          visit.seal(place.height(), row);
          jsn++;
        }
      }
      return jsn;
    } catch (CorruptStreamException e) {
      throw LogReader.damaged(jsn, e);
    }
  }

  /// Items of leaves `[from, to)`, or the first of them, at least one.
  ///
  /// @param to not behind the end of the file that `from` is in
  /// @throws RequestRejectedException `DAMAGED`, naming the jsn
  BundlePiece read(StrandIndex strand, TileBundle kind, long from, long to)
      throws IOException, CorruptStreamException, RequestRejectedException {
    return switch (kind) {
      case ENTRIES -> leaves(strand, from, to);
      case ATTESTATIONS -> attestations(strand, from, to);
      case BODIES -> bodies(strand, from, to);
      case OPS -> operations(strand, from, to);
      case ANY_ENTRIES -> throw new IllegalArgumentException("a ledger has no such bundles");
    };
  }

  private BundlePiece leaves(StrandIndex strand, long from, long to)
      throws IOException, CorruptStreamException, RequestRejectedException {
    LeafRun run = new LeafRun(strand, (int) (to - from));
    long next = walk(strand, from, to, run);
    run.check(from);
    return new BundlePiece(run.bundle(), next);
  }

  /// Leaves side by side, hashed in bulk.
  private final class LeafRun implements PerBlock {
    private final StrandIndex strand;
    private final CborWriter leaves;
    private final int[] offsets;
    private int count;

    LeafRun(StrandIndex strand, int countMax) {
      this.strand = strand;
      this.leaves = new CborWriter(countMax * LEAF_BYTES_USUAL);
      this.offsets = new int[countMax + 1];
    }

    @Override
    public int length() {
      return leaves.length();
    }

    @Override
    public long journals(BlockRow row, BlockInfo block, long from, long to) {
      Digest attestHash = Digest.ZERO;
      int known = -1;
      long jsn = from;
      for (; jsn < to && length() < PIECE_BYTES; jsn++) {
        int journal = (int) (jsn - row.firstJsn());
        int submission = block.submissionOf(journal);
        if (submission != known) {
          attestHash = block.attestationHash(submission);
          known = submission;
        }
        LeafBuilder.encode(leaves, block, journal, attestHash);
        offsets[++count] = leaves.length();
      }
      return jsn;
    }

    @Override
    public void seal(long height, BlockRow row) throws IOException, CorruptStreamException {
      leaves.raw(strand.sealLeaf(height, row));
      offsets[++count] = leaves.length();
    }

    void check(long first) throws IOException, CorruptStreamException, RequestRejectedException {
      byte[] built = new byte[count * Digest.BYTES];
      byte[] sealed = new byte[count * Digest.BYTES];
      hasher.leaves(leaves.buffer(), offsets, count, built, 0);
      strand.accumulator().leafHashes(first, count, sealed, 0);
      int differs = Arrays.mismatch(built, sealed);
      if (differs >= 0) {
        throw LogReader.notSealed(first + differs / Digest.BYTES);
      }
    }

    Bytes bundle() {
      BundleWriter file =
          new BundleWriter(
              TileBundle.ENTRIES, leaves.length() + count * TileBundle.ENTRIES.lengthBytes());
      for (int i = 0; i < count; i++) {
        file.item(leaves.buffer(), offsets[i], offsets[i + 1] - offsets[i]);
      }
      return file.finish();
    }
  }

  private BundlePiece attestations(StrandIndex strand, long from, long to)
      throws IOException, CorruptStreamException, RequestRejectedException {
    byte[] sealed = new byte[(int) (to - from) * Digest.BYTES];
    strand.accumulator().leafHashes(from, (int) (to - from), sealed, 0);
    BundleWriter file =
        new BundleWriter(
            TileBundle.ATTESTATIONS, (int) (to - from) * TileBundle.ATTESTATIONS.lengthBytes());
    PerBlock visit =
        new PerBlock() {
          @Override
          public int length() {
            return file.length();
          }

          @Override
          public long journals(BlockRow row, BlockInfo block, long first, long end)
              throws RequestRejectedException {
            long jsn = first;
            for (; jsn < end && length() < PIECE_BYTES; jsn++) {
              int journal = (int) (jsn - row.firstJsn());
              // A batch's stands with its first journal, and again with the first of a file.
              if (block.batchIndex(journal) == 0 || jsn % TilePath.WIDTH == 0) {
                int submission = block.submissionOf(journal);
                int at = (int) (jsn - from) * Digest.BYTES;
                LogReader.checked(jsn, LeafBuilder.leaf(block, journal), Digest.of(sealed, at));
                file.item(block.attestation(submission));
              } else {
                file.empty();
              }
            }
            return jsn;
          }

          @Override
          public void seal(long height, BlockRow row) {
            file.empty();
          }
        };
    long next = walk(strand, from, to, visit);
    return new BundlePiece(file.finish(), next);
  }

  /// Each leaf is compared with the sealed one, and the operations with the header in it.
  private BundlePiece operations(StrandIndex strand, long from, long to)
      throws IOException, CorruptStreamException, RequestRejectedException {
    if (!strand.hasState()) {
      throw new RequestRejectedException(
          RejectionCode.FEATURE_NOT_ENABLED, "the ledger has no state, and so no operations");
    }
    byte[] sealed = new byte[(int) (to - from) * Digest.BYTES];
    strand.accumulator().leafHashes(from, (int) (to - from), sealed, 0);
    BundleWriter file =
        new BundleWriter(TileBundle.OPS, (int) (to - from) * TileBundle.OPS.lengthBytes());
    PerBlock visit =
        new PerBlock() {
          @Override
          public int length() {
            return file.length();
          }

          @Override
          public long journals(BlockRow row, BlockInfo block, long first, long end)
              throws RequestRejectedException {
            long jsn = first;
            for (; jsn < end && length() < PIECE_BYTES; jsn++) {
              int journal = (int) (jsn - row.firstJsn());
              int at = (int) (jsn - from) * Digest.BYTES;
              LogReader.checked(jsn, LeafBuilder.leaf(block, journal), Digest.of(sealed, at));
              Bytes ops = SealedOps.of(strand, block, journal);
              if (ops.isEmpty()) {
                file.empty();
              } else {
                file.item(ops);
              }
            }
            return jsn;
          }

          @Override
          public void seal(long height, BlockRow row) {
            file.empty();
          }
        };
    long next = walk(strand, from, to, visit);
    return new BundlePiece(file.finish(), next);
  }

  private BundlePiece bodies(StrandIndex strand, long from, long to)
      throws IOException, CorruptStreamException, RequestRejectedException {
    BundleWriter file = new BundleWriter(TileBundle.BODIES, (int) (to - from) * BODY_BYTES_USUAL);
    PerBlock visit =
        new PerBlock() {
          @Override
          public int length() {
            return file.length();
          }

          @Override
          public long journals(BlockRow row, BlockInfo block, long first, long end)
              throws IOException, CorruptStreamException, RequestRejectedException {
            long jsn = first;
            if (block.genesis()) {
              file.empty();
              return jsn + 1;
            }
            PayloadRun payloads = new PayloadRun(stored, row, block);
            for (; jsn < end && length() < PIECE_BYTES; jsn++) {
              int journal = (int) (jsn - row.firstJsn());
              int at = payloads.find(journal, (int) (end - row.firstJsn()));
              int length = block.payloadBytes(journal);
              int offset = block.payloadOffset(journal);
              byte[] items = payloads.bytes();
              boolean intact = PayloadItem.isIntact(items, at, length, row.frameNumber(), offset);
              if (LogReader.isErased(strand, jsn)) { // asked last: it may be erased meanwhile
                file.empty();
                continue;
              }
              if (!intact) {
                throw ReadFaults.damagedBody(stored, jsn, payloads.at(journal));
              }
              file.item(items, at, PayloadItem.contentBytes(length));
            }
            return jsn;
          }

          @Override
          public void seal(long height, BlockRow row) {
            file.empty();
          }
        };
    long next = walk(strand, from, to, visit);
    return new BundlePiece(file.finish(), next);
  }
}
