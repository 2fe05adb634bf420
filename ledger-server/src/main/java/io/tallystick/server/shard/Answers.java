package io.tallystick.server.shard;

import io.tallystick.journal.Kind;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.AppendWaiter;
import io.tallystick.node.AppendWaiter.ReceiptedRun;
import io.tallystick.server.read.Evidence;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.seal.LeafBuilder;
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
  void sealed(Step<AdmittedAppend> step, List<SealedBlock> blocks) {
    executor.execute(() -> answer(step, blocks));
  }

  private void answer(Step<AdmittedAppend> step, List<SealedBlock> blocks) {
    Map<StrandId, SealedBlock> byStrand = new HashMap<>();
    blocks.forEach(block -> byStrand.put(block.strand().strand(), block));
    List<Step.Accepted<AdmittedAppend>> accepted = step.accepted();
    for (int from = 0, to; from < accepted.size(); from = to) {
      to = endOfRun(accepted, from);
      SealedBlock block =
          Objects.requireNonNull(byStrand.get(accepted.get(from).strand()), "its own block");
      answer(accepted.subList(from, to), block);
    }
    for (Step.Repeated<AdmittedAppend> repeated : step.repeated()) {
      answerRepeat(repeated.input(), repeated.strand(), repeated.firstJsn());
    }
    for (Step.Founded<AdmittedAppend> founded : step.founded()) {
      founded.input().complete(founded.existed());
    }
  }

  private static int endOfRun(List<Step.Accepted<AdmittedAppend>> accepted, int from) {
    Step.Accepted<AdmittedAppend> first = accepted.get(from);
    AppendWaiter.Stream stream = first.input().stream();
    int journals = first.input().count();
    int to = from + 1;
    while (to < accepted.size()) {
      AdmittedAppend next = accepted.get(to).input();
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

  private void answer(List<Step.Accepted<AdmittedAppend>> run, SealedBlock block) {
    List<AdmittedAppend> pending = new ArrayList<>(run.size());
    List<Committed> committed = new ArrayList<>(run.size());
    for (Step.Accepted<AdmittedAppend> accepted : run) {
      AdmittedAppend each = accepted.input();
      pending.add(each);
      committed.add(
          new Committed(
              accepted.firstJsn(),
              each.count(),
              block.row().timeMs(),
              accepted.delegated(),
              false));
    }
    answer(pending, committed, block.strand(), block.row());
  }

  private void answerRepeat(AdmittedAppend pending, StrandId id, long firstJsn) {
    try {
      StrandIndex strand = shard.indexer().strand(id);
      BlockRow row = strand.block(strand.heightOf(firstJsn));
      boolean delegated =
          strand.head().members().anyDelegated() && delegated(pending, strand, row, firstJsn);
      Committed committed = new Committed(firstJsn, pending.count(), row.timeMs(), delegated, true);
      answer(List.of(pending), List.of(committed), strand, row);
    } catch (IOException | CorruptStreamException | RequestRejectedException | RuntimeException e) {
      pending.fail(new ShardStoppedException("no receipt could be made", e));
    }
  }

  /// Whether the leaf says that the key of a signer is delegated. A purge may have removed the
  /// leaf, but its hash tells; that of a key rotation, whose attestation the service made, stays.
  private boolean delegated(AdmittedAppend pending, StrandIndex strand, BlockRow row, long firstJsn)
      throws IOException, CorruptStreamException, RequestRejectedException {
    VerifiedSubmission submission = pending.submission();
    if (submission.headers().getFirst().kind() == Kind.KEY_ROTATION) {
      return shard.log().delegated(strand, firstJsn);
    }
    Bytes delegated =
        LeafBuilder.delegated(
            firstJsn,
            row.timeMs(),
            submission.requests().getFirst().header(),
            submission.attestHash(),
            0,
            pending.count());
    return TreeHasher.leafHash(delegated).equals(strand.accumulator().leafHash(firstJsn));
  }

  private void answer(
      List<AdmittedAppend> run, List<Committed> committed, StrandIndex strand, BlockRow row) {
    try {
      List<AppendWaiter> waiters = run.stream().map(AdmittedAppend::waiter).toList();
      int journals = committed.stream().mapToInt(Committed::count).sum();
      Bytes receipt = evidence.rangeReceipt(strand, row, committed.getFirst().firstJsn(), journals);
      run.forEach(AdmittedAppend::settle);
      run.getFirst().stream().receipted(new ReceiptedRun(waiters, committed, receipt));
    } catch (IOException | CorruptStreamException | RequestRejectedException | RuntimeException e) {
      // Whatever went wrong, these submissions are answered, and so are those behind them.
      ShardStoppedException stopped = new ShardStoppedException("no receipt could be made", e);
      for (AdmittedAppend each : run) {
        each.settle();
        each.tellFailure(stopped);
      }
    }
  }
}
