package io.tallystick.server.host;

import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.AnchoredAt;
import io.tallystick.node.CreatedLedger;
import io.tallystick.node.Done;
import io.tallystick.node.Founding;
import io.tallystick.node.LedgerPurges;
import io.tallystick.node.LedgerRead;
import io.tallystick.node.LogRead;
import io.tallystick.node.NodeChange;
import io.tallystick.node.TimeJournals;
import io.tallystick.node.TimeRead;
import io.tallystick.server.note.NoteWriter;
import io.tallystick.server.shard.OwnerLease;
import io.tallystick.server.shard.Shard;

/// What a shard does and answers beside appends. Thread-safe.
///
/// @param reads for the answers of foundings
record ShardChanges(
    Shard shard,
    Foundings foundings,
    ShardReads reads,
    TimeJournals times,
    LedgerPurges purges,
    OutsideWords words) {
  private static final int WHY_CHARS_MAX = 1_024;
  private static final int NOTE_BYTES_MAX = 64 << 10;

  @SuppressWarnings("unchecked") // what each case answers is what its record names
  <R> R carryOut(NodeChange<R> change) throws RequestRejectedException {
    return (R)
        switch (change) {
          case NodeChange.Found it -> found(it.founding());
          case NodeChange.MakeReadOnly it -> {
            boolean _ =
                NoteWriter.await(
                    shard.tables().readOnly().markLater(it.ledger(), it.seenSize(), it.by()));
            yield Done.DONE;
          }
          case NodeChange.LiftReadOnly it ->
              owned(() -> shard.tables().readOnly().lift(it.ledger(), it.by()));
          case NodeChange.AppendTime it -> {
            AnchoredAt landed = times.append(it.anchor());
            words.granted(it.anchor().strand());
            yield landed;
          }
          case NodeChange.WantTime it -> {
            checkFounded(it.strand());
            words.want(it.strand());
            yield Done.DONE;
          }
          case NodeChange.NoTime it -> {
            checkAtMost("reason", it.why().detail().length(), WHY_CHARS_MAX);
            words.refuse(it.strand(), it.why());
            yield Done.DONE;
          }
          case NodeChange.ShowCosigned it -> {
            checkFounded(it.strand());
            checkAtMost("note", it.note().size(), NOTE_BYTES_MAX);
            words.show(it.strand(), it.note());
            yield Done.DONE;
          }
          case NodeChange.ReplaceProposal it ->
              shard.tables().proposals().replace(it.before().orElse(null), it.after());
          case NodeChange.RemoveProposal it -> shard.tables().proposals().remove(it.kept());
          case NodeChange.DropGoneProposals _ -> {
            shard.tables().proposals().dropGone();
            yield Done.DONE;
          }
          case NodeChange.KeepAnchor it -> {
            shard.tables().anchors().keep(it.anchor());
            yield Done.DONE;
          }
          case NodeChange.ShowCertificates it ->
              owned(() -> shard.tables().chains().show(it.ledger(), it.chain()));
          case NodeChange.EraseCertificates it ->
              owned(() -> shard.tables().chains().erase(it.ledger(), it.certDigest()));
          case NodeChange.DropExpiredCertificates _ -> {
            shard.tables().chains().dropExpired();
            yield Done.DONE;
          }
          case NodeChange.SubmitHead _ ->
              throw new RequestRejectedException(
                  RejectionCode.UNKNOWN_LEDGER, "this process writes no T-Ledger");
          case NodeChange.PrepareSnapshot it ->
              purges.prepare(it.strand(), it.height(), it.absent());
        };
  }

  private interface Change<R> {
    R carryOut() throws RequestRejectedException;
  }

  /// A change that may find nothing to do: whoever owned the shard before does not say so.
  private <R> R owned(Change<R> change) throws RequestRejectedException {
    OwnerLease lease = shard.lease();
    R answer = change.carryOut();
    lease.await();
    return answer;
  }

  private void checkFounded(StrandId strand) throws RequestRejectedException {
    var _ = reads.answer(new TimeRead.Newest(strand));
  }

  private static void checkAtMost(String what, int size, int max) throws RequestRejectedException {
    if (size > max) {
      throw new RequestRejectedException(
              RejectionCode.TOO_LARGE, what + " of " + size + ", at most " + max)
          .withLimit(max);
    }
  }

  private CreatedLedger found(Founding founding) throws RequestRejectedException {
    boolean existed = foundings.found(founding);
    StrandId strand = new StrandId(founding.params().ledgerId(), 0);
    Bytes genesis = reads.answer(new LogRead.Journal(strand, 0, false)).leaf();
    return new CreatedLedger(
        reads.answer(new LedgerRead.Ledger(strand.ledger())),
        existed,
        genesis,
        reads.answer(new LogRead.Receipt(strand, 0)));
  }
}
