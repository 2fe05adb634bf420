package io.tallystick.proxy.rest;

import io.tallystick.journal.Attestation;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.master.LedgerRegistry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.LedgerNode;
import io.tallystick.proxy.execute.Arrival;
import io.tallystick.proxy.execute.ExecutePhase;
import io.tallystick.proxy.execute.ProxyMetrics;
import io.tallystick.proxy.execute.UnverifiedSubmission;
import io.tallystick.proxy.read.ReceiptedLeaf;
import io.tallystick.receipt.RangeReceipt;
import io.tallystick.receipt.Receipt;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Hands a submission to the execute phase and waits, on the request's virtual thread, for what
/// becomes of it.
record AwaitedAppends(LedgerRegistry registry, ExecutePhase execute, ProxyMetrics metrics) {
  private static final Logger LOG = LoggerFactory.getLogger(AwaitedAppends.class);
  private static final long ANSWER_SECONDS_MAX = 60;

  Receipted receipted(UnverifiedSubmission submission) throws RequestRejectedException {
    long start = System.nanoTime();
    AppendTicket ticket = submit(submission);
    Receipted receipted = await(ticket.receipted());
    count(receipted.committed(), start);
    return receipted;
  }

  /// Durable, which is no evidence.
  Committed committed(UnverifiedSubmission submission) throws RequestRejectedException {
    long start = System.nanoTime();
    Committed committed = await(submit(submission).committed());
    count(committed, start);
    return committed;
  }

  private AppendTicket submit(UnverifiedSubmission submission) {
    AppendTicket ticket = AppendTicket.open();
    execute.submit(List.of(Arrival.of(submission, ticket)));
    return ticket;
  }

  private void count(Committed committed, long start) {
    metrics.appended(committed.count(), committed.repeated(), System.nanoTime() - start);
  }

  /// The outcome of a repeat, whose leaf was made of the first one's bytes. It is the submitter's
  /// own journal, so no token is asked for.
  Outcome stored(UnverifiedSubmission submission, Receipted receipted)
      throws RequestRejectedException {
    long jsn = receipted.committed().firstJsn();
    LedgerNode node = registry.nodeOf(submission.strand().ledger());
    ReceiptedLeaf stored = ReceiptedLeaf.read(node, submission.strand(), jsn);
    return new Outcome(receipted.committed(), stored.leaf(), stored.receipt());
  }

  /// The outcome of a submission of one journal, with its evidence.
  ///
  /// @param receipt COSE_Sign1, tagged
  record Outcome(Committed committed, Bytes leaf, Bytes receipt) {
    static Outcome made(UnverifiedSubmission submission, Receipted receipted) {
      Committed committed = receipted.committed();
      Bytes leaf =
          new JournalLeaf(
                  new Jsn(committed.firstJsn()),
                  committed.timeMs(),
                  submission.requests().getFirst().header(),
                  Attestation.hash(submission.attestation()),
                  0,
                  1,
                  committed.delegated())
              .encode();
      try {
        Receipt receipt =
            RangeReceipt.decode(receipted.rangeReceipt()).split(List.of(leaf)).getFirst();
        return new Outcome(committed, leaf, receipt.encode());
      } catch (MalformedException | ProofRejectedException e) {
        throw new AssertionError(
            "a receipt of our own does not fit journal " + committed.firstJsn(), e);
      }
    }
  }

  private static <T> T await(CompletableFuture<T> answer) throws RequestRejectedException {
    try {
      return answer.get(ANSWER_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RequestRejectedException refusal) {
        throw refusal;
      }
      LOG.error("A submission failed", e.getCause());
      throw outcomeUnknown("the service stopped before the outcome was known", e);
    } catch (TimeoutException e) {
      throw outcomeUnknown("not answered within " + ANSWER_SECONDS_MAX + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw outcomeUnknown("the service is stopping", e);
    }
  }

  private static RequestRejectedException outcomeUnknown(String why, Exception cause) {
    return new RequestRejectedException(
        RejectionCode.UNAVAILABLE, why + "; the same signatures again will tell", cause);
  }
}
