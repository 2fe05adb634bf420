package io.tallystick.server.frame;

import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.storage.framing.SectionBuffer;
import java.util.List;
import java.util.zip.CRC32C;

/// Lays out commit frames. Not thread-safe.
public final class CommitFrameWriter {
  private final CRC32C crc = new CRC32C();
  private final byte[] crcPrefix = new byte[12];

  /// Fills `frame` (reset first).
  ///
  /// @param number the number the frame will have, bound into each payload's checksum
  public void write(
      FrameBuffer frame, long number, long timeMs, List<Guard> guards, List<BlockDraft> blocks) {
    frame.reset();
    SectionBuffer infos = frame.infos();
    infos.u64(timeMs).u32(guards.size()).u32(blocks.size());
    for (Guard guard : guards) {
      infos.digest(guard.strand().ledger().digest()).u32(guard.strand().strand());
      infos.u64(guard.height()).digest(guard.blockHash());
    }
    for (BlockDraft block : blocks) {
      writeBlock(frame, number, block);
    }
  }

  private void writeBlock(FrameBuffer frame, long number, BlockDraft block) {
    SectionBuffer infos = frame.infos();
    int start = infos.length();
    infos.digest(block.strand().ledger().digest()).u32(block.strand().strand());
    int flags =
        (block.genesis() ? FrameLayout.FLAG_GENESIS : 0)
            | (block.hasOperations() ? FrameLayout.FLAG_OPERATIONS : 0)
            | (block.hasDelegated() ? FrameLayout.FLAG_SOME_DELEGATED : 0);
    int journalBytes = FrameLayout.journalBytes(flags);
    infos.u32(flags);
    infos.u64(block.firstJsn()).u64(block.height());
    infos.u32(block.submissions().size()).u32(block.journals()).u32(0).u32(0);
    int submissionTable = infos.length();
    infos.skip(block.submissions().size() * FrameLayout.SUBMISSION_BYTES);
    int journalTable = infos.length();
    infos.skip(block.journals() * journalBytes);
    int journal = 0;
    for (int i = 0; i < block.submissions().size(); i++) {
      BlockDraft.Submission submission = block.submissions().get(i);
      writeSubmission(
          infos, submissionTable + i * FrameLayout.SUBMISSION_BYTES, submission, journal);
      int rows = journalTable + journal * journalBytes;
      for (int k = 0; k < submission.requests().size(); k++) {
        writeJournal(frame, number, rows + k * journalBytes, submission, i, k);
      }
      if (block.hasOperations()) {
        writeOps(infos, rows, submission);
      }
      journal += submission.requests().size();
    }
    infos.setU32(start + FrameLayout.BLOCK_LENGTH, infos.length() - start);
  }

  private void writeSubmission(
      SectionBuffer infos, int row, BlockDraft.Submission submission, int firstJournal) {
    infos.setU32(row, infos.length());
    infos.setU32(row + 4, submission.attestation().size());
    infos.put(submission.attestation().unsafeArray());
    infos.setU32(row + 8, firstJournal);
    infos.setU32(row + 12, submission.requests().size());
    infos.setU32(row + 16, infos.length());
    infos.setU32(row + 20, submission.signatureIds().size());
    for (Digest id : submission.signatureIds()) {
      infos.digest(id);
      infos.cut(infos.length() - (Digest.BYTES - FrameLayout.SIGNATURE_ID_BYTES));
    }
    infos.setU32(row + 24, (int) (submission.latestExpiresMs() >>> 32));
    infos.setU32(row + 28, (int) submission.latestExpiresMs());
  }

  private void writeJournal(
      FrameBuffer frame,
      long number,
      int row,
      BlockDraft.Submission submission,
      int submissionIndex,
      int batchIndex) {
    SignedRequest request = submission.requests().get(batchIndex);
    SectionBuffer infos = frame.infos();
    infos.setU32(row, infos.length());
    infos.setU32(row + 4, request.header().size());
    infos.put(request.header().unsafeArray());
    infos.setU32(row + 8, frame.payloads().length());
    infos.setU32(row + 12, writePayload(frame.payloads(), number, request.salt(), request.body()));
    infos.setU32(row + 16, submissionIndex);
    infos.setU32(row + 20, batchIndex);
    infos.setU32(row + 24, 0);
    infos.setU32(
        row + FrameLayout.JOURNAL_FLAGS,
        (submission.governance() ? FrameLayout.FLAG_GOVERNANCE : 0)
            | (submission.delegated() ? FrameLayout.FLAG_DELEGATED : 0));
  }

  /// Behind the submission's headers, which lie side by side.
  private static void writeOps(SectionBuffer infos, int rows, BlockDraft.Submission submission) {
    for (int k = 0; k < submission.requests().size(); k++) {
      Bytes ops = submission.requests().get(k).ops();
      int row = rows + k * FrameLayout.JOURNAL_WITH_OPS_BYTES;
      infos.setU32(row + FrameLayout.OPS_OFFSET, ops.isEmpty() ? 0 : infos.length());
      infos.setU32(row + FrameLayout.OPS_BYTES, ops.size());
      infos.put(ops.unsafeArray());
    }
  }

  private int writePayload(SectionBuffer payloads, long number, Bytes salt, Bytes body) {
    int offset = payloads.length();
    payloads.put(salt.unsafeArray()).put(body.unsafeArray());
    int count = payloads.length() - offset;
    payloads.u32(
        PayloadItem.checksum(
            crc,
            crcPrefix,
            number,
            offset,
            payloads.array(),
            payloads.arrayBase() + offset,
            count));
    return count + FrameLayout.PAYLOAD_CRC_BYTES;
  }
}
