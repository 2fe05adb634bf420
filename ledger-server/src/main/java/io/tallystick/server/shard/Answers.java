package io.tallystick.server.shard;

import io.tallystick.model.Bytes;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.AppendTicket.Committed;
import io.tallystick.server.AppendTicket.Receipted;
import io.tallystick.server.index.BlockRow;
import io.tallystick.server.index.Evidence;
import io.tallystick.server.index.StrandIndex;
import io.tallystick.server.sequencer.Step;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.concurrent.Executor;

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
  void sealed(Step step) {
    executor.execute(() -> answer(step));
  }

  private void answer(Step step) {
    for (Step.Accepted accepted : step.accepted()) {
      PendingAppend pending = (PendingAppend) accepted.input();
      answer(pending, accepted.strand(), accepted.firstJsn(), false);
    }
    for (Step.Repeated repeated : step.repeated()) {
      PendingAppend pending = (PendingAppend) repeated.input();
      answer(pending, repeated.strand(), repeated.firstJsn(), true);
    }
    for (Step.Founded founded : step.founded()) {
      ((PendingFounding) founded.input()).existed().complete(founded.existed());
    }
  }

  private void answer(PendingAppend pending, StrandId id, long firstJsn, boolean repeated) {
    int count = pending.submission().requests().size();
    try {
      StrandIndex strand = shard.indexer().strand(id);
      long height = strand.heightOf(firstJsn);
      BlockRow row = strand.block(height);
      Committed committed = new Committed(firstJsn, count, row.timeMs(), repeated);
      Bytes receipt = evidence.rangeReceipt(strand, row, firstJsn, count);
      pending.complete(new Receipted(committed, receipt));
    } catch (IOException | CorruptStreamException | RequestRejectedException e) {
      pending.fail(new ShardStoppedException("no receipt could be made", e));
    }
  }
}
