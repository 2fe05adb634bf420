package io.tallystick.server.index;

import io.tallystick.journal.Attestation;
import io.tallystick.journal.RequestHeader;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.BodyState;
import io.tallystick.server.JournalView;
import io.tallystick.server.LogVisitor;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.PayloadItem;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.FrameHeader;
import io.tallystick.storage.stream.Location;
import io.tallystick.storage.stream.StreamReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads leaves back from the commit stream. Every leaf is rebuilt and compared with the hash that
/// the accumulator holds, so that stored damage is found here and never answered. Thread-safe.
public final class LogReader {
  private final StreamReader stream;

  public LogReader(StreamReader stream) {
    this.stream = stream;
  }

  /// One leaf with all that belongs to it.
  ///
  /// @throws RequestRejectedException `DAMAGED`, naming the jsn
  public JournalView journal(StrandIndex strand, long jsn, boolean withBody)
      throws IOException, RequestRejectedException {
    try {
      return read(strand, jsn, withBody);
    } catch (CorruptStreamException e) {
      throw damaged(jsn, e);
    }
  }

  private JournalView read(StrandIndex strand, long jsn, boolean withBody)
      throws IOException, CorruptStreamException, RequestRejectedException {
    long height = strand.heightOf(jsn);
    BlockRow row = strand.block(height);
    if (jsn == row.sealJsn()) {
      Bytes seal = checked(strand, jsn, strand.sealLeaf(height, row));
      return new JournalView(jsn, seal, null, BodyState.NONE, null, null, List.of());
    }
    BlockInfo block = block(strand, row);
    int journal = (int) (jsn - row.firstJsn());
    int submission = block.submissionOf(journal);
    Bytes leaf = checked(strand, jsn, LeafBuilder.leaf(block, journal));
    List<Digest> hashes = batchHashes(block, submission);
    Bytes attestation = block.attestation(submission);
    if (block.genesis() || !withBody) {
      return new JournalView(jsn, leaf, attestation, BodyState.NONE, null, null, hashes);
    }
    byte[] item = payload(row, block, journal);
    if (!PayloadItem.isIntact(item, row.frameNumber(), block.payloadOffset(journal))) {
      throw damaged(jsn, "checksum of the stored body is wrong");
    }
    return new JournalView(
        jsn, leaf, attestation, BodyState.PRESENT, salt(item), body(item), hashes);
  }

  /// Walks leaves `[from, to)`, `to` at most the sealed size.
  public void walk(StrandIndex strand, long from, long to, boolean withBodies, LogVisitor visitor)
      throws IOException, RequestRejectedException {
    long jsn = from;
    while (jsn < to) {
      try {
        jsn = walkBlock(strand, jsn, to, withBodies, visitor);
      } catch (CorruptStreamException e) {
        throw damaged(jsn, e);
      }
    }
  }

  private long walkBlock(
      StrandIndex strand, long from, long to, boolean withBodies, LogVisitor visitor)
      throws IOException, CorruptStreamException, RequestRejectedException {
    long height = strand.heightOf(from);
    BlockRow row = strand.block(height);
    BlockInfo block = block(strand, row);
    long end = Math.min(to, row.sealJsn());
    Digest attestHash = Digest.ZERO;
    int known = -1;
    for (long jsn = from; jsn < end; jsn++) {
      int journal = (int) (jsn - row.firstJsn());
      int submission = block.submissionOf(journal);
      Bytes attestation = null;
      if (submission != known) {
        attestation = block.attestation(submission);
        attestHash = Attestation.hash(attestation);
        known = submission;
      }
      Bytes leaf = checked(strand, jsn, LeafBuilder.leaf(block, journal, attestHash));
      visit(visitor, row, block, journal, leaf, attestation, withBodies);
    }
    if (to > row.sealJsn()) {
      Bytes seal = checked(strand, row.sealJsn(), strand.sealLeaf(height, row));
      visitor.leaf(row.sealJsn(), seal, null, BodyState.NONE, null, null);
      return row.sealJsn() + 1;
    }
    return end;
  }

  private void visit(
      LogVisitor visitor,
      BlockRow row,
      BlockInfo block,
      int journal,
      Bytes leaf,
      @Nullable Bytes attestation,
      boolean withBodies)
      throws IOException, CorruptStreamException, RequestRejectedException {
    long jsn = row.firstJsn() + journal;
    if (block.genesis() || !withBodies) {
      visitor.leaf(jsn, leaf, attestation, BodyState.NONE, null, null);
      return;
    }
    byte[] item = payload(row, block, journal);
    if (PayloadItem.isIntact(item, row.frameNumber(), block.payloadOffset(journal))) {
      visitor.leaf(jsn, leaf, attestation, BodyState.PRESENT, salt(item), body(item));
    } else {
      visitor.leaf(jsn, leaf, attestation, BodyState.DAMAGED, null, null);
    }
  }

  /// The opening of a ledger's name, from its genesis block.
  ///
  /// @throws CorruptStreamException if its checksum is wrong
  public Bytes genesisPayload(FramePlace place, BlockInfo block)
      throws IOException, CorruptStreamException {
    byte[] item =
        read(
            new Location(place.frame(), place.payloadOffset() + block.payloadOffset(0)),
            block.payloadBytes(0));
    if (!PayloadItem.isIntact(item, place.number(), block.payloadOffset(0))) {
      throw new CorruptStreamException(
          place.toString(), place.payloadOffset(), "checksum of a ledger's name is wrong");
    }
    return Bytes.copyOf(item, 0, item.length - Integer.BYTES);
  }

  private BlockInfo block(StrandIndex strand, BlockRow row)
      throws IOException, CorruptStreamException {
    Location at = new Location(row.frame(), FrameHeader.BYTES + row.blockOffset());
    int length = BlockInfo.lengthIn(read(at, BlockInfo.HEADER_BYTES));
    if (length < BlockInfo.HEADER_BYTES || length > row.payloadOffset()) {
      throw new CorruptStreamException(
          "frame " + row.frameNumber(), at.offset(), "block of " + length + " bytes");
    }
    try {
      BlockInfo block = BlockInfo.checked(read(at, length), row.blockOffset(), row.timeMs());
      if (!isNamedBy(row, strand, block)) {
        throw new MalformedException(
            "block of %s from %d to %d, want %s from %d to %d"
                .formatted(
                    block.strand(),
                    block.firstJsn(),
                    block.sealJsn(),
                    strand.strand(),
                    row.firstJsn(),
                    row.sealJsn()));
      }
      return block;
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          "frame " + row.frameNumber(), at.offset(), String.valueOf(e.getMessage()));
    }
  }

  /// A misdirected write may leave a block there that is whole, and has other journals.
  private static boolean isNamedBy(BlockRow row, StrandIndex strand, BlockInfo block) {
    return block.strand().equals(strand.strand())
        && block.firstJsn() == row.firstJsn()
        && block.sealJsn() == row.sealJsn();
  }

  private byte[] payload(BlockRow row, BlockInfo block, int journal)
      throws IOException, CorruptStreamException {
    Location at = new Location(row.frame(), row.payloadOffset() + block.payloadOffset(journal));
    return read(at, block.payloadBytes(journal));
  }

  private byte[] read(Location at, int count) throws IOException, CorruptStreamException {
    byte[] bytes = new byte[count];
    stream.read(at, ByteBuffer.wrap(bytes));
    return bytes;
  }

  private static Bytes checked(StrandIndex strand, long jsn, Bytes leaf)
      throws IOException, CorruptStreamException, RequestRejectedException {
    if (!TreeHasher.leafHash(leaf).equals(strand.accumulator().leafHash(jsn))) {
      throw damaged(jsn, "the stored leaf does not have the hash in the accumulator");
    }
    return leaf;
  }

  private static List<Digest> batchHashes(BlockInfo block, int submission) {
    int count = block.journalsOf(submission);
    if (count == 1) {
      return List.of();
    }
    List<Digest> hashes = new ArrayList<>(count);
    int first = block.firstJournal(submission);
    for (int i = first; i < first + count; i++) {
      hashes.add(RequestHeader.hash(block.header(i)));
    }
    return hashes;
  }

  private static Bytes salt(byte[] item) {
    return Bytes.copyOf(item, 0, PayloadItem.SALT_BYTES);
  }

  private static Bytes body(byte[] item) {
    return Bytes.copyOf(
        item, PayloadItem.SALT_BYTES, item.length - PayloadItem.SALT_BYTES - Integer.BYTES);
  }

  private static RequestRejectedException damaged(long jsn, String detail) {
    return new RequestRejectedException(
            RejectionCode.DAMAGED, "journal " + jsn + " is damaged: " + detail)
        .atJsn(jsn);
  }

  private static RequestRejectedException damaged(long jsn, CorruptStreamException cause) {
    return new RequestRejectedException(
            RejectionCode.DAMAGED, "journal " + jsn + " is damaged: " + cause.getMessage(), cause)
        .atJsn(jsn);
  }
}
