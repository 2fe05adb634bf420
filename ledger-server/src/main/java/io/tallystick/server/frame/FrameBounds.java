package io.tallystick.server.frame;

import io.tallystick.journal.Limits;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.framing.FrameHeader;

/// Checks what a stored info section says about itself before anything follows its counts and
/// offsets: a damaged one is named, and never makes a reader allocate or look elsewhere. Source:
/// docs/formats/commit-frame.md, "Checks".
final class FrameBounds {
  private static final int IDS_MAX = 255;
  private static final long PLACE_END = 1L << 53;
  private static final int PAYLOAD_BYTES_MIN =
      PayloadItem.SALT_BYTES + FrameLayout.PAYLOAD_CRC_BYTES;

  private final FrameInfos infos;
  private final int end;

  /// @param end offset behind the last byte that may be looked at
  FrameBounds(FrameInfos infos, int end) {
    this.infos = infos;
    this.end = end;
  }

  /// A whole info section from its first byte on.
  void checkFrame() throws MalformedException {
    require(end >= FrameLayout.PREAMBLE_BYTES, "bytes of infos", end);
    requireTime("timeMs", FrameLayout.TIME);
    long guards = unsigned(FrameLayout.GUARD_COUNT);
    long position = FrameLayout.PREAMBLE_BYTES + guards * FrameLayout.GUARD_BYTES;
    require(position <= end, "guards", guards);
    for (int i = 0; i < guards; i++) {
      int guard = FrameLayout.PREAMBLE_BYTES + i * FrameLayout.GUARD_BYTES;
      requireStrand(guard);
      requirePlace("height", guard + FrameLayout.GUARD_HEIGHT);
    }
    long blocks = unsigned(FrameLayout.BLOCK_COUNT);
    for (long i = 0; i < blocks; i++) {
      require(position + FrameLayout.BLOCK_HEADER_BYTES <= end, "blocks", blocks);
      long length = unsigned((int) position + FrameLayout.BLOCK_LENGTH);
      require(length <= end - position, "bytes of a block", length);
      new FrameBounds(infos, (int) (position + length)).checkBlock((int) position);
      position += length;
    }
    require(position == end, "bytes of guards and blocks", position);
  }

  /// A block from `start` to the end.
  void checkBlock(int start) throws MalformedException {
    require(end - start >= FrameLayout.BLOCK_HEADER_BYTES, "bytes of a block", end - start);
    requireStrand(start);
    requirePlace("first jsn", start + FrameLayout.BLOCK_FIRST_JSN);
    requirePlace("height", start + FrameLayout.BLOCK_HEIGHT);
    long submissions = unsigned(start + FrameLayout.BLOCK_SUBMISSIONS);
    long journals = unsigned(start + FrameLayout.BLOCK_JOURNALS);
    int flags = infos.u32(start + FrameLayout.BLOCK_FLAGS);
    require((flags & ~FrameLayout.FLAGS_KNOWN) == 0, "flags", flags);
    require(
        (flags & FrameLayout.FLAG_GENESIS) == 0 || flags == FrameLayout.FLAG_GENESIS,
        "operations or delegated keys in a founding block: flags",
        flags);
    int rowBytes = FrameLayout.journalBytes(flags);
    long table = (long) start + FrameLayout.BLOCK_HEADER_BYTES;
    long journalTable = table + submissions * FrameLayout.SUBMISSION_BYTES;
    long texts = journalTable + journals * rowBytes;
    require(texts <= end, "bytes of a block's tables", texts - start);
    long journal = 0;
    for (int i = 0; i < submissions; i++) {
      int row = (int) table + i * FrameLayout.SUBMISSION_BYTES;
      journal = checkSubmission(row, texts, journal, journals);
      checkJournals(i, row, (int) journalTable, flags, texts);
    }
    require(journal == journals && journals > 0, "journals", journals);
  }

  /// @return the first journal of the next submission
  private long checkSubmission(int row, long texts, long journal, long journals)
      throws MalformedException {
    requireText("attestation", texts, unsigned(row), unsigned(row + 4));
    require(unsigned(row + 8) == journal, "first journal", unsigned(row + 8));
    long count = unsigned(row + 12);
    require(count > 0 && count <= journals - journal, "journals of a submission", count);
    long ids = unsigned(row + 20);
    require(ids <= IDS_MAX, "signature ids", ids);
    requireText("ids", texts, unsigned(row + 16), ids * FrameLayout.SIGNATURE_ID_BYTES);
    requireTime("latest expiry", row + 24);
    return journal + count;
  }

  private void checkJournals(int submission, int row, int journalTable, int flags, long texts)
      throws MalformedException {
    int rowBytes = FrameLayout.journalBytes(flags);
    boolean delegated = (flags & FrameLayout.FLAG_SOME_DELEGATED) != 0;
    int journalFlags = FrameLayout.FLAG_GOVERNANCE | (delegated ? FrameLayout.FLAG_DELEGATED : 0);
    int first = infos.u32(row + 8);
    int count = infos.u32(row + 12);
    for (int i = 0; i < count; i++) {
      int at = journalTable + (first + i) * rowBytes;
      requireText("header", texts, unsigned(at), unsigned(at + 4));
      long payload = unsigned(at + 12);
      require(
          payload >= PAYLOAD_BYTES_MIN && unsigned(at + 8) + payload <= FrameHeader.MAX_FRAME_BYTES,
          "bytes of a payload",
          payload);
      require(infos.u32(at + 16) == submission, "submission", infos.u32(at + 16));
      require(infos.u32(at + 20) == i, "batch index", infos.u32(at + 20));
      int given = infos.u32(at + FrameLayout.JOURNAL_FLAGS);
      require((given & ~journalFlags) == 0, "flags of a journal", given);
      if (rowBytes == FrameLayout.JOURNAL_WITH_OPS_BYTES) {
        checkOps(at, texts);
      }
    }
  }

  private void checkOps(int at, long texts) throws MalformedException {
    long offset = unsigned(at + FrameLayout.OPS_OFFSET);
    long bytes = unsigned(at + FrameLayout.OPS_BYTES);
    if (bytes == 0) {
      require(offset == 0, "offset of no operations", offset);
    } else {
      requireText("operations", texts, offset, bytes);
    }
  }

  private void requireText(String what, long texts, long offset, long bytes)
      throws MalformedException {
    require(offset >= texts && offset + bytes <= end, "offset of " + what, offset);
  }

  private void requireStrand(int start) throws MalformedException {
    int strand = infos.u32(start + FrameLayout.BLOCK_STRAND);
    require(strand >= 0 && strand < Limits.STRANDS_MAX, "strand", strand);
  }

  private void requirePlace(String what, int offset) throws MalformedException {
    long value = infos.u64(offset);
    require(value >= 0 && value < PLACE_END, what, value);
  }

  private void requireTime(String what, int offset) throws MalformedException {
    long value = infos.u64(offset);
    require(value >= 0 && value <= Limits.TIME_MS_MAX, what, value);
  }

  private long unsigned(int offset) {
    return Integer.toUnsignedLong(infos.u32(offset));
  }

  private static void require(boolean holds, String what, long value) throws MalformedException {
    if (!holds) {
      throw new MalformedException("info section: " + what + " " + value + " cannot be");
    }
  }
}
