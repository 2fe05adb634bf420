package io.tallystick.server.read;

import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.storage.stream.CorruptStreamException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/// A summary of a sealed block, by which one journal of it can be read without the others: where
/// attestations, headers and payloads lie, some 7 bytes a journal, and the tree of each batch once
/// it was needed. Headers and payloads of a batch lie side by side, so that a place every {@link
/// BatchTree#GROUP} journals is enough. Thread-safe.
final class BlockPlan {
  private static final int GROUP = BatchTree.GROUP;
  private static final int OVERHEAD_BYTES = 1024;
  private static final int SUBMISSION_BYTES = 21;
  private static final int GROUP_BYTES = 8;
  private static final int JOURNAL_BYTES = 6;
  private static final int JOURNAL_OPS_BYTES = 8;

  private final long height;
  private final BlockRow row;
  private final boolean genesis;
  private final int infoBytes;
  private final int[] firstJournals; // with the number of journals behind the last
  private final int[] firstGroups;
  private final int[] attestationOffsets;
  private final int[] attestationLengths;
  private final boolean[] delegated; // by submission
  private final int[] headerOffsets; // by group
  private final int[] payloadOffsets; // by group
  private final char[] headerLengths;
  private final int[] payloadLengths;
  private final int[] opsOffsets; // of each journal; none in a block without operations
  private final int[] opsLengths;
  private final AtomicReferenceArray<@Nullable BatchTree> trees;

  BlockPlan(long height, BlockRow row, BlockInfo block) throws CorruptStreamException {
    this.height = height;
    this.row = row;
    this.genesis = block.genesis();
    this.infoBytes = block.headerArray().length;
    int submissions = block.submissions();
    firstJournals = new int[submissions + 1];
    firstGroups = new int[submissions];
    attestationOffsets = new int[submissions];
    attestationLengths = new int[submissions];
    delegated = new boolean[submissions];
    int groups = 0;
    for (int i = 0; i < submissions; i++) {
      firstJournals[i] = block.firstJournal(i);
      firstGroups[i] = groups;
      groups += Math.ceilDiv(block.journalsOf(i), GROUP);
      attestationOffsets[i] = block.attestationOffset(i);
      attestationLengths[i] = block.attestationBytes(i);
      delegated[i] = block.delegated(firstJournals[i]);
    }
    firstJournals[submissions] = block.journals();
    headerOffsets = new int[groups];
    payloadOffsets = new int[groups];
    headerLengths = new char[block.journals()];
    payloadLengths = new int[block.journals()];
    int withOps = block.hasOperations() ? block.journals() : 0;
    opsOffsets = new int[withOps];
    opsLengths = new int[withOps];
    for (int i = 0; i < withOps; i++) {
      opsOffsets[i] = block.opsOffset(i);
      opsLengths[i] = block.opsBytes(i);
    }
    for (int i = 0; i < submissions; i++) {
      placeJournals(block, i);
    }
    trees = new AtomicReferenceArray<>(submissions);
  }

  private void placeJournals(BlockInfo block, int submission) throws CorruptStreamException {
    int first = firstJournals[submission];
    int header = block.headerOffset(first);
    int payload = block.payloadOffset(first);
    for (int i = 0; i < journalsOf(submission); i++) {
      int journal = first + i;
      if (block.headerOffset(journal) != header || block.payloadOffset(journal) != payload) {
        throw StoredBlocks.corrupt(row, "journals of a batch do not lie side by side");
      }
      if (i % GROUP == 0) {
        headerOffsets[firstGroups[submission] + i / GROUP] = header;
        payloadOffsets[firstGroups[submission] + i / GROUP] = payload;
      }
      headerLengths[journal] = (char) block.headerBytes(journal);
      if (headerLengths[journal] != block.headerBytes(journal)) {
        throw StoredBlocks.corrupt(row, "header of " + block.headerBytes(journal) + " bytes");
      }
      payloadLengths[journal] = block.payloadBytes(journal);
      header += block.headerBytes(journal);
      payload += block.payloadBytes(journal);
    }
  }

  long height() {
    return height;
  }

  BlockRow row() {
    return row;
  }

  boolean genesis() {
    return genesis;
  }

  /// The bytes of the block as it lies in its frame, payloads apart; read before a journal of it
  /// is.
  int infoBytes() {
    return infoBytes;
  }

  int submissionOf(int journal) {
    int found = Arrays.binarySearch(firstJournals, journal);
    return found >= 0 ? found : -found - 2;
  }

  int firstJournal(int submission) {
    return firstJournals[submission];
  }

  int journalsOf(int submission) {
    return firstJournals[submission + 1] - firstJournals[submission];
  }

  int attestationOffset(int submission) {
    return attestationOffsets[submission];
  }

  int attestationBytes(int submission) {
    return attestationLengths[submission];
  }

  /// Whether the key of a signer is.
  boolean delegated(int submission) {
    return delegated[submission];
  }

  /// @param index of the journal in its submission
  int headerOffset(int submission, int index) {
    int offset = headerOffsets[firstGroups[submission] + index / GROUP];
    for (int i = index - index % GROUP; i < index; i++) {
      offset += headerLengths[firstJournals[submission] + i];
    }
    return offset;
  }

  int headerBytes(int submission, int index) {
    return headerLengths[firstJournals[submission] + index];
  }

  int payloadOffset(int submission, int index) {
    int offset = payloadOffsets[firstGroups[submission] + index / GROUP];
    for (int i = index - index % GROUP; i < index; i++) {
      offset += payloadLengths[firstJournals[submission] + i];
    }
    return offset;
  }

  int payloadBytes(int submission, int index) {
    return payloadLengths[firstJournals[submission] + index];
  }

  /// @param journal number within the block
  int opsOffset(int journal) {
    return opsOffsets[journal];
  }

  /// 0 if it has no operations.
  int opsBytes(int journal) {
    return opsLengths.length == 0 ? 0 : opsLengths[journal];
  }

  @Nullable BatchTree tree(int submission) {
    return trees.get(submission);
  }

  void keep(int submission, BatchTree tree) {
    trees.set(submission, tree);
  }

  /// About what this takes of memory once all its trees are there.
  int costBytes() {
    int cost =
        OVERHEAD_BYTES
            + attestationOffsets.length * SUBMISSION_BYTES
            + headerOffsets.length * GROUP_BYTES
            + headerLengths.length * JOURNAL_BYTES
            + opsLengths.length * JOURNAL_OPS_BYTES;
    for (int i = 0; i < attestationOffsets.length; i++) {
      if (journalsOf(i) > 1) {
        cost += BatchTree.costBytes(journalsOf(i), attestationLengths[i]);
      }
    }
    return cost;
  }
}
