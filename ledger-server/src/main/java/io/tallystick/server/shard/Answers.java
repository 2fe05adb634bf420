package io.tallystick.server.shard;

import io.tallystick.model.Bytes;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.AppendTicket.Committed;
import io.tallystick.server.AppendTicket.Receipted;
import io.tallystick.server.index.BlockRow;
import io.tallystick.server.index.Evidence;
import io.tallystick.server.index.SealedBlock;
import io.tallystick.server.index.StrandIndex;
import io.tallystick.server.sequencer.Step;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;

/// Makes the receipts of what was sealed and completes the tickets, on threads of its own, so that
/// neither the commit nor the index thread ever runs a caller's code.
final class Answers {
  private final OpenShard shard;
  private final Evidence evidence;
  private final Executor executor;

  Answers(OpenShard shard, Evidence evidence, Executor executor) {
    this.shard = shard;
    this.evidence = evidence;
    this.executor = executor;
  }

  /// Everything this step waited for is sealed.
  ///
  /// @param blocks that the step's frame made
  void sealed(Step step, List<SealedBlock> blocks) {
    executor.execute(() -> answer(step, blocks));
  }

  private void answer(Step step, List<SealedBlock> blocks) {
    Map<StrandId, SealedBlock> byStrand =
        blocks.stream().collect(Collectors.toMap(block -> block.strand().strand(), b -> b));
    for (Step.Accepted accepted : step.accepted()) {
      PendingAppend pending = (PendingAppend) accepted.input();
      SealedBlock block = Objects.requireNonNull(byStrand.get(accepted.strand()), "its own block");
      answer(pending, block.strand(), block.row(), accepted.firstJsn(), false);
    }
    for (Step.Repeated repeated : step.repeated()) {
      answerRepeat((PendingAppend) repeated.input(), repeated.strand(), repeated.firstJsn());
    }
    for (Step.Founded founded : step.founded()) {
      ((PendingFounding) founded.input()).complete(founded.existed());
    }
  }

  private void answerRepeat(PendingAppend pending, StrandId id, long firstJsn) {
    try {
      StrandIndex strand = shard.indexer().strand(id);
      BlockRow row = strand.block(strand.heightOf(firstJsn));
      answer(pending, strand, row, firstJsn, true);
    } catch (IOException | CorruptStreamException e) {
      pending.fail(new ShardStoppedException("no receipt could be made", e));
    }
  }

  private void answer(
      PendingAppend pending, StrandIndex strand, BlockRow row, long firstJsn, boolean repeated) {
    int count = pending.submission().requests().size();
    try {
      Committed committed = new Committed(firstJsn, count, row.timeMs(), repeated);
      Bytes receipt = evidence.rangeReceipt(strand, row, firstJsn, count);
      pending.complete(new Receipted(committed, receipt));
    } catch (IOException | CorruptStreamException | RequestRejectedException | RuntimeException e) {
      // Whatever went wrong, who waits must hear of it, and so must those behind it.
      pending.fail(new ShardStoppedException("no receipt could be made", e));
    }
  }
}
