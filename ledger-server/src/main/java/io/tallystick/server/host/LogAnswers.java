package io.tallystick.server.host;

import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.BlockView;
import io.tallystick.node.BundlePiece;
import io.tallystick.node.JournalView;
import io.tallystick.node.LogRead;
import io.tallystick.node.ProvenJournal;
import io.tallystick.server.read.Evidence;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// Answers about the log of a strand: of whoever owns the shard, and of who follows it.
record LogAnswers(Evidence evidence, LogReader log) {
  JournalView journal(StrandIndex index, LogRead.Journal it)
      throws IOException, RequestRejectedException {
    StrandReads.checkJsn(index, it.jsn());
    return log.journal(index, it.jsn(), it.withBody());
  }

  ProvenJournal proven(StrandIndex index, LogRead.Proven it)
      throws IOException, CorruptStreamException, RequestRejectedException {
    StrandReads.checkJsn(index, it.jsn());
    long treeSize = StrandReads.coveringSize(index, it.jsn(), it.size());
    JournalView journal = log.unproven(index, it.jsn(), true);
    Digest leafHash = TreeHasher.leafHash(journal.leaf());
    return new ProvenJournal(journal, evidence.inclusion(index, it.jsn(), treeSize, leafHash));
  }

  BundlePiece bundle(StrandIndex index, LogRead.Bundle it)
      throws IOException, RequestRejectedException {
    StrandReads.checkJsn(index, it.from());
    StrandReads.checkJsn(index, it.to() - 1);
    return log.bundle(index, it.kind(), it.from(), it.to());
  }

  /// An answer that never changes.
  Object lasting(StrandIndex index, LogRead<?> read)
      throws IOException, CorruptStreamException, RequestRejectedException {
    return switch (read) {
      case LogRead.RangeReceipt it -> {
        StrandReads.checkJsn(index, it.firstJsn());
        BlockRow row = index.block(index.heightOf(it.firstJsn()));
        yield evidence.rangeReceipt(index, row, it.firstJsn(), it.count());
      }
      case LogRead.Receipt it -> {
        StrandReads.checkJsn(index, it.jsn());
        BlockRow row = index.block(index.heightOf(it.jsn()));
        yield evidence.receipt(index, row, it.jsn());
      }
      case LogRead.Inclusion it -> {
        long size = StrandReads.coveringSize(index, it.jsn(), it.size());
        yield evidence.inclusion(index, it.jsn(), size);
      }
      case LogRead.Consistency it -> {
        long to = StrandReads.reachedSize(index, it.fromSize(), it.toSize());
        yield evidence.consistency(index, it.fromSize(), to);
      }
      case LogRead.Tile it -> Bytes.wrap(evidence.tile(index, it.level(), it.first(), it.count()));
      case LogRead.BlockAt it -> {
        StrandReads.checkBlock(index, it.height());
        yield block(index, it.height());
      }
      case LogRead.BlockOf it -> {
        StrandReads.checkJsn(index, it.jsn());
        yield block(index, index.heightOf(it.jsn()));
      }
      default -> throw new IllegalArgumentException("no answer that lasts: " + read);
    };
  }

  BlockView block(StrandIndex index, long height)
      throws IOException, CorruptStreamException, RequestRejectedException {
    return evidence.block(index, height, index.block(height));
  }
}
