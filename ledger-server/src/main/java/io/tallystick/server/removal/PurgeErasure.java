package io.tallystick.server.removal;

import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.saved.PendingErasureRow;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.world.Purge;
import io.tallystick.server.world.Removals;
import io.tallystick.storage.framing.ErasedFrame;
import io.tallystick.storage.framing.FrameEdits;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamEraser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Plans the erasing of a purge, block by block: all payload items, and the texts of the
/// submissions that lie below the first leaf that stays. The genesis block keeps its parameters,
/// which are public; only the deletion of the ledger takes its payload, the name. Source:
/// `docs/formats/commit-frame.md`, "Erased texts".
final class PurgeErasure {
  private final StreamEraser stream;
  private final LogReader log;
  private final DeadSegments segments;

  PurgeErasure(StreamEraser stream, LogReader log, DeadSegments segments) {
    this.stream = stream;
    this.log = log;
    this.segments = segments;
  }

  /// Where the erasing of a purge begins: with the block that the purge before has left in part.
  long firstJsn(StrandIndex strand, Removals removals, Purge purge)
      throws IOException, CorruptStreamException {
    if (strand.head().governance().isDeletedBy(purge)) {
      return 0;
    }
    long height = 1;
    for (Purge before : removals.purges()) {
      if (before.jsn() < purge.jsn()) {
        height = Math.max(1, strand.heightOf(before.firstLeaf()));
      }
    }
    return strand.block(height).firstJsn();
  }

  /// The next blocks' frames, of those that were not dropped.
  ///
  /// @param from the first jsn of a block
  PendingErasureRow plan(StrandIndex strand, Purge purge, long from)
      throws IOException, CorruptStreamException {
    List<ErasedFrame> planned = new ArrayList<>();
    long height = Math.max(strand.heightOf(from), segments.firstHeight(strand));
    while (height <= purge.height() && planned.size() < PendingErasureRow.FRAMES_MAX) {
      BlockRow row = strand.block(height);
      planned.add(stream.plan(row.frame(), edits(purge, row, log.block(strand, row))));
      height++;
    }
    long next = height > purge.height() ? PendingErasureRow.ALL : strand.block(height).firstJsn();
    return new PendingErasureRow(next, planned);
  }

  private static FrameEdits edits(Purge purge, BlockRow row, BlockInfo block) {
    List<FrameEdits.Range> zeros = new ArrayList<>();
    int last = block.journals() - 1;
    int payloads = block.payloadOffset(0);
    int end = block.payloadOffset(last) + block.payloadBytes(last);
    zeros.add(new FrameEdits.Range(row.payloadOffset() + payloads, end - payloads));
    boolean texts = false;
    for (int i = 0; i < block.submissions(); i++) {
      long behind = block.firstJsn() + block.firstJournal(i) + block.journalsOf(i);
      if (behind <= purge.firstLeaf() && !block.genesis()) {
        addTexts(zeros, block, i);
        texts = true;
      }
    }
    FrameEdits edits = FrameEdits.zeros(zeros);
    return texts
        ? edits.marked(
            List.of(
                new FrameEdits.Mark(FrameHeader.BYTES + block.flagsOffset(), block.erasedFlags())))
        : edits;
  }

  private static void addTexts(List<FrameEdits.Range> zeros, BlockInfo block, int submission) {
    add(zeros, block.attestationOffset(submission), block.attestationBytes(submission));
    add(zeros, block.idsOffset(submission), block.idsBytes(submission));
    int first = block.firstJournal(submission);
    for (int i = first; i < first + block.journalsOf(submission); i++) {
      add(zeros, block.headerOffset(i), block.headerBytes(i));
      add(zeros, block.opsOffset(i), block.opsBytes(i));
    }
  }

  private static void add(List<FrameEdits.Range> zeros, int offset, int bytes) {
    if (bytes > 0) {
      zeros.add(new FrameEdits.Range(FrameHeader.BYTES + offset, bytes));
    }
  }
}
