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
import java.util.Arrays;
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
    LeafHashes stored = new LeafHashes(strand, from, Math.min(to, row.size()));
    PayloadRun payloads = new PayloadRun(row, block);
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
      Bytes leaf = stored.checked(jsn, LeafBuilder.leaf(block, journal, attestHash));
      if (block.genesis() || !withBodies) {
        visitor.leaf(jsn, leaf, attestation, BodyState.NONE, null, null);
      } else {
        visit(visitor, payloads, journal, leaf, attestation);
      }
    }
    if (to > row.sealJsn()) {
      Bytes seal = stored.checked(row.sealJsn(), strand.sealLeaf(height, row));
      visitor.leaf(row.sealJsn(), seal, null, BodyState.NONE, null, null);
      return row.sealJsn() + 1;
    }
    return end;
  }

  private static void visit(
      LogVisitor visitor, PayloadRun payloads, int journal, Bytes leaf, @Nullable Bytes attestation)
      throws IOException, CorruptStreamException, RequestRejectedException {
    long jsn = payloads.row.firstJsn() + journal;
    byte[] item = payloads.item(journal);
    int offset = payloads.block.payloadOffset(journal);
    if (PayloadItem.isIntact(item, payloads.row.frameNumber(), offset)) {
      visitor.leaf(jsn, leaf, attestation, BodyState.PRESENT, salt(item), body(item));
    } else {
      visitor.leaf(jsn, leaf, attestation, BodyState.DAMAGED, null, null);
    }
  }

  /// The accumulator's hashes of the leaves of a walk, read many at a time.
  private static final class LeafHashes {
    private static final int READ_MAX = 256;

    private final StrandIndex strand;
    private final long end;
    private byte[] hashes = new byte[0];
    private long first;

    /// @param first leaf that will be asked for; the others follow in order
    /// @param end no leaf from there on will be asked for
    LeafHashes(StrandIndex strand, long first, long end) {
      this.strand = strand;
      this.first = first;
      this.end = end;
    }

    Bytes checked(long jsn, Bytes leaf)
        throws IOException, CorruptStreamException, RequestRejectedException {
      if (jsn >= first + hashes.length / Digest.BYTES) {
        first = jsn;
        int count = (int) Math.min(READ_MAX, end - jsn);
        hashes = new byte[count * Digest.BYTES];
        strand.accumulator().leafHashes(first, count, hashes, 0);
      }
      Digest stored = Digest.of(hashes, (int) (jsn - first) * Digest.BYTES);
      return LogReader.checked(jsn, leaf, stored);
    }
  }

  /// Stored payloads of a block, read many at a time where they lie side by side.
  private final class PayloadRun {
    private static final int READ_BYTES_MAX = 256 << 10;

    private final BlockRow row;
    private final BlockInfo block;
    private byte[] bytes = new byte[0];
    private int first;
    private int end;

    PayloadRun(BlockRow row, BlockInfo block) {
      this.row = row;
      this.block = block;
    }

    byte[] item(int journal) throws IOException, CorruptStreamException {
      if (journal < first || journal >= end) {
        fill(journal);
      }
      int from = block.payloadOffset(journal) - block.payloadOffset(first);
      return Arrays.copyOfRange(bytes, from, from + block.payloadBytes(journal));
    }

    private void fill(int journal) throws IOException, CorruptStreamException {
      int next = journal + 1;
      int size = block.payloadBytes(journal);
      while (next < block.journals()
          && block.payloadOffset(next) == block.payloadOffset(journal) + size
          && size + block.payloadBytes(next) <= READ_BYTES_MAX) {
        size += block.payloadBytes(next);
        next++;
      }
      end = journal;
      try {
        bytes = read(at(journal), size);
        end = next;
      } catch (IOException e) {
        // One bad place must not hide its neighbours.
        bytes = payload(row, block, journal);
        end = journal + 1;
      }
      first = journal;
    }

    private Location at(int journal) {
      return new Location(row.frame(), row.payloadOffset() + block.payloadOffset(journal));
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
    return checked(jsn, leaf, strand.accumulator().leafHash(jsn));
  }

  private static Bytes checked(long jsn, Bytes leaf, Digest stored)
      throws RequestRejectedException {
    if (!TreeHasher.leafHash(leaf).equals(stored)) {
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
