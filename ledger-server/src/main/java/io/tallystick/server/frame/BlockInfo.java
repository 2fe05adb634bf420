package io.tallystick.server.frame;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;

/// A view of one block of a frame. Journals and submissions are counted from 0 within the block.
public final class BlockInfo {
  private final FrameInfos frame;
  private final long timeMs;
  private final int start;
  private final int submissionTable;
  private final int journalTable;
  private final int journalBytes;

  BlockInfo(FrameInfos frame, long timeMs, int start) {
    this.frame = frame;
    this.timeMs = timeMs;
    this.start = start;
    this.submissionTable = start + FrameLayout.BLOCK_HEADER_BYTES;
    this.journalTable =
        submissionTable
            + frame.u32(start + FrameLayout.BLOCK_SUBMISSIONS) * FrameLayout.SUBMISSION_BYTES;
    this.journalBytes = FrameLayout.journalBytes(frame.u32(start + FrameLayout.BLOCK_FLAGS));
  }

  /// A view of one block read back alone.
  ///
  /// @param block the block's bytes, from its first to its last
  /// @param offset where the block starts in its info section
  /// @param timeMs of its frame
  /// @throws MalformedException if a count or offset leads out of it
  public static BlockInfo checked(byte[] block, int offset, long timeMs) throws MalformedException {
    FrameInfos infos = new FrameInfos(block, -offset);
    new FrameBounds(infos, offset + block.length).checkBlock(offset);
    return new BlockInfo(infos, timeMs, offset);
  }

  /// Bytes of the block's fixed header, enough for {@link #lengthIn}.
  public static final int HEADER_BYTES = FrameLayout.BLOCK_HEADER_BYTES;

  /// The length of a block, from its fixed header.
  public static int lengthIn(byte[] header) {
    return new FrameInfos(header, 0).u32(FrameLayout.BLOCK_LENGTH);
  }

  public StrandId strand() {
    return frame.strand(start);
  }

  public boolean genesis() {
    return (frame.u32(start + FrameLayout.BLOCK_FLAGS) & FrameLayout.FLAG_GENESIS) != 0;
  }

  /// Whether texts of it are erased.
  public boolean erased() {
    return (frame.u32(start + FrameLayout.BLOCK_FLAGS) & FrameLayout.FLAG_ERASED) != 0;
  }

  /// Whether any of its journals has operations.
  public boolean hasOperations() {
    return journalBytes == FrameLayout.JOURNAL_WITH_OPS_BYTES;
  }

  public long firstJsn() {
    return frame.u64(start + FrameLayout.BLOCK_FIRST_JSN);
  }

  public long height() {
    return frame.u64(start + FrameLayout.BLOCK_HEIGHT);
  }

  public int submissions() {
    return frame.u32(start + FrameLayout.BLOCK_SUBMISSIONS);
  }

  public int journals() {
    return frame.u32(start + FrameLayout.BLOCK_JOURNALS);
  }

  int lengthBytes() {
    return frame.u32(start + FrameLayout.BLOCK_LENGTH);
  }

  public long sealJsn() {
    return firstJsn() + journals();
  }

  /// Offset of this block within the info section; kept in the block's row to find it again.
  public int offset() {
    return start;
  }

  public long timeMs() {
    return timeMs;
  }

  private int submissionRow(int submission) {
    return submissionTable + submission * FrameLayout.SUBMISSION_BYTES;
  }

  private int journalRow(int journal) {
    return journalTable + journal * journalBytes;
  }

  public Bytes attestation(int submission) {
    int row = submissionRow(submission);
    return copy(frame.u32(row), frame.u32(row + 4));
  }

  /// Offset of an attestation within the info section.
  public int attestationOffset(int submission) {
    return frame.u32(submissionRow(submission));
  }

  public int attestationBytes(int submission) {
    return frame.u32(submissionRow(submission) + 4);
  }

  /// SHA-256 of an attestation, without a copy.
  public Digest attestationHash(int submission) {
    int row = submissionRow(submission);
    return Sha256.hash(frame.array(), frame.base() + frame.u32(row), frame.u32(row + 4));
  }

  /// Offset of a submission's signature ids within the info section.
  public int idsOffset(int submission) {
    return frame.u32(submissionRow(submission) + 16);
  }

  public int idsBytes(int submission) {
    return signatureIds(submission) * FrameLayout.SIGNATURE_ID_BYTES;
  }

  /// Offset of the lowest byte of the block's flags within the info section.
  public int flagsOffset() {
    return start + FrameLayout.BLOCK_FLAGS + Integer.BYTES - 1;
  }

  /// The flags that are to stand there when texts of the block are erased.
  public byte erasedFlags() {
    return (byte) (frame.u32(start + FrameLayout.BLOCK_FLAGS) | FrameLayout.FLAG_ERASED);
  }

  public int firstJournal(int submission) {
    return frame.u32(submissionRow(submission) + 8);
  }

  public int journalsOf(int submission) {
    return frame.u32(submissionRow(submission) + 12);
  }

  public int signatureIds(int submission) {
    return frame.u32(submissionRow(submission) + 20);
  }

  /// The first or second eight bytes of a signature id.
  public long signatureId(int submission, int index, boolean high) {
    int at = frame.u32(submissionRow(submission) + 16) + index * FrameLayout.SIGNATURE_ID_BYTES;
    return frame.u64(high ? at : at + 8);
  }

  public long latestExpiresMs(int submission) {
    return frame.u64(submissionRow(submission) + 24);
  }

  /// The array that holds the header of a journal, at {@link #headerPosition}.
  public byte[] headerArray() {
    return frame.array();
  }

  public int headerPosition(int journal) {
    return frame.base() + frame.u32(journalRow(journal));
  }

  /// Offset of a header within the info section.
  public int headerOffset(int journal) {
    return frame.u32(journalRow(journal));
  }

  public int headerBytes(int journal) {
    return frame.u32(journalRow(journal) + 4);
  }

  public Bytes header(int journal) {
    return copy(frame.u32(journalRow(journal)), headerBytes(journal));
  }

  /// Offset of a journal's payload item within the payload section.
  public int payloadOffset(int journal) {
    return frame.u32(journalRow(journal) + 8);
  }

  /// Bytes of the payload item: salt, body and checksum.
  public int payloadBytes(int journal) {
    return frame.u32(journalRow(journal) + 12);
  }

  public int submissionOf(int journal) {
    return frame.u32(journalRow(journal) + 16);
  }

  public int batchIndex(int journal) {
    return frame.u32(journalRow(journal) + 20);
  }

  public boolean governance(int journal) {
    return (journalFlags(journal) & FrameLayout.FLAG_GOVERNANCE) != 0;
  }

  /// Whether the key of a signer is delegated at the journal's jsn.
  public boolean delegated(int journal) {
    return (journalFlags(journal) & FrameLayout.FLAG_DELEGATED) != 0;
  }

  private int journalFlags(int journal) {
    return frame.u32(journalRow(journal) + FrameLayout.JOURNAL_FLAGS);
  }

  /// Offset of a journal's operations within the info section; 0 if it has none.
  public int opsOffset(int journal) {
    return hasOperations() ? frame.u32(journalRow(journal) + FrameLayout.OPS_OFFSET) : 0;
  }

  public int opsBytes(int journal) {
    return hasOperations() ? frame.u32(journalRow(journal) + FrameLayout.OPS_BYTES) : 0;
  }

  /// A journal's operations as {@link io.tallystick.journal.Ops} encodes them; empty if it has
  /// none.
  public Bytes ops(int journal) {
    int count = opsBytes(journal);
    return count == 0 ? Bytes.EMPTY : copy(opsOffset(journal), count);
  }

  private Bytes copy(int offset, int count) {
    return Bytes.copyOf(frame.array(), frame.base() + offset, count);
  }
}
