package io.tallystick.server.shard;

import io.tallystick.model.Bytes;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.AppendWaiter;
import io.tallystick.node.AppendWaiter.ReceiptedRun;
import io.tallystick.server.read.Evidence;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.seal.SealedBlock;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.sequencer.Step;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;

/// Makes the receipts of what was sealed and answers the submissions, on threads of its own, so
/// that neither the commit nor the index thread ever runs a caller's code. Neighbours in a block
/// that came over one stream share a receipt: its cost is then that of one.
final class Answers {
  /// Journals under one shared receipt, unless one submission alone has more: enough to make its
  /// signature and path cheap, few enough that a client may keep what it needs to split them.
  static final int RUN_JOURNALS_MAX = 256;

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
    Map<StrandId, SealedBlock> byStrand = new HashMap<>();
    blocks.forEach(block -> byStrand.put(block.strand().strand(), block));
    List<Step.Accepted> accepted = step.accepted();
    for (int from = 0, to; from < accepted.size(); from = to) {
      to = endOfRun(accepted, from);
      SealedBlock block =
          Objects.requireNonNull(byStrand.get(accepted.get(from).strand()), "its own block");
      answer(accepted.subList(from, to), block);
    }
    for (Step.Repeated repeated : step.repeated()) {
      answerRepeat((PendingAppend) repeated.input(), repeated.strand(), repeated.firstJsn());
    }
    for (Step.Founded founded : step.founded()) {
      ((PendingFounding) founded.input()).complete(founded.existed());
    }
  }

  private static int endOfRun(List<Step.Accepted> accepted, int from) {
    Step.Accepted first = accepted.get(from);
    AppendWaiter.Stream stream = ((PendingAppend) first.input()).stream();
    int journals = ((PendingAppend) first.input()).count();
    int to = from + 1;
    while (to < accepted.size()) {
      PendingAppend next = (PendingAppend) accepted.get(to).input();
      boolean neighbour = accepted.get(to).firstJsn() == first.firstJsn() + journals;
      journals += next.count();
      if (!neighbour
          || !next.stream().equals(stream)
          || journals > RUN_JOURNALS_MAX
          || !accepted.get(to).strand().equals(first.strand())) {
        break;
      }
      to++;
    }
    return to;
  }

  private void answer(List<Step.Accepted> run, SealedBlock block) {
    List<PendingAppend> pending = new ArrayList<>(run.size());
    run.forEach(accepted -> pending.add((PendingAppend) accepted.input()));
    answer(pending, block.strand(), block.row(), run.getFirst().firstJsn(), false);
  }

  private void answerRepeat(PendingAppend pending, StrandId id, long firstJsn) {
    try {
      StrandIndex strand = shard.indexer().strand(id);
      BlockRow row = strand.block(strand.heightOf(firstJsn));
      answer(List.of(pending), strand, row, firstJsn, true);
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      pending.fail(new ShardStoppedException("no receipt could be made", e));
    }
  }

  private void answer(
      List<PendingAppend> run, StrandIndex strand, BlockRow row, long firstJsn, boolean repeated) {
    try {
      List<AppendWaiter> waiters = new ArrayList<>(run.size());
      List<Committed> committed = new ArrayList<>(run.size());
      long jsn = firstJsn;
      for (PendingAppend each : run) {
        waiters.add(each.waiter());
        committed.add(new Committed(jsn, each.count(), row.timeMs(), repeated));
        jsn += each.count();
      }
      Bytes receipt = evidence.rangeReceipt(strand, row, firstJsn, Math.toIntExact(jsn - firstJsn));
      run.forEach(PendingAppend::settle);
      run.getFirst().stream().receipted(new ReceiptedRun(waiters, committed, receipt));
    } catch (IOException | CorruptStreamException | RequestRejectedException | RuntimeException e) {
      // Whatever went wrong, these submissions are answered, and so are those behind them.
      ShardStoppedException stopped = new ShardStoppedException("no receipt could be made", e);
      for (PendingAppend each : run) {
        each.settle();
        each.tellFailure(stopped);
      }
    }
  }
}
