package io.tallystick.master.duty;

import io.tallystick.journal.Proposal;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.KeptProposal.Outcome;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.OpenProposals;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Submits proposals that have the signatures they need, as any member's request is submitted, and
/// notes what became of them. What had no outcome when the service stopped is submitted again: the
/// same signatures commit once, and a repeat is answered with the same jsn. Every few seconds it
/// looks for those, and has those dropped that have expired or have no signer that may still sign.
/// Thread-safe.
public final class ProposalSubmitter implements CompleteProposals {
  private static final Logger LOG = LoggerFactory.getLogger(ProposalSubmitter.class);
  private static final long ANSWER_SECONDS_MAX = 60;
  private static final long ROUND_SECONDS = 5;
  private static final int DETAIL_CHARS_MAX = 1_024;
  private static final long CLOSE_SECONDS_MAX = 5;

  private final LedgerNode node;
  private final Submission submission;
  private final ScheduledExecutorService rounds =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("proposals").daemon().factory());

  /// How a request with its signatures is handed to the node.
  @FunctionalInterface
  public interface Submission {
    /// @param ticket hears the outcome, also a refusal
    void submit(Proposal proposal, AppendTicket ticket);
  }

  /// Begins with what was being submitted when the service stopped.
  public ProposalSubmitter(LedgerNode node, Submission submission) {
    this.node = node;
    this.submission = submission;
    if (node.openProposals().isPresent()) {
      var _ = rounds.scheduleWithFixedDelay(this::round, 0, ROUND_SECONDS, TimeUnit.SECONDS);
    }
  }

  private OpenProposals proposals() throws RequestRejectedException {
    return node.openProposals()
        .orElseThrow(() ->
            new RequestRejectedException(
                RejectionCode.FEATURE_NOT_ENABLED, "this service keeps no proposals"));
  }

  /// Looks for what is to be submitted now, and not only at the next round.
  public void lookSoon() {
    try {
      rounds.execute(this::submitAll);
    } catch (RejectedExecutionException _) {
      // Closed: whoever serves the ledgers next begins with it.
    }
  }

  private void round() {
    attempt(() -> proposals().dropGone());
    submitAll();
  }

  private void submitAll() {
    attempt(() -> {
      for (KeptProposal kept : proposals().submitting()) {
        attempt(() -> submit(kept));
      }
    });
  }

  /// One that fails is left to the next round, and keeps no other from its turn.
  private static void attempt(Step step) {
    try {
      step.run();
    } catch (RequestRejectedException | RuntimeException e) {
      LOG.warn("Proposals wait for the next round: {}", e.toString());
    }
  }

  private interface Step {
    void run() throws RequestRejectedException;
  }

  /// Submits it and waits for the outcome. It stays as it is while that is unknown.
  @Override
  public KeptProposal submit(KeptProposal kept) throws RequestRejectedException {
    Outcome outcome = outcome(kept);
    KeptProposal after = new KeptProposal(kept.proposal(), outcome);
    if (!after.equals(kept) && !proposals().replace(kept, after)) {
      // Two have submitted it; both have the same answer, and the other was first to note it.
      return proposals().find(kept.ledger(), kept.requestHash()).orElse(after);
    }
    return after;
  }

  /// A refusal may name every member of a ledger; what is kept of it is bounded.
  private static String cut(String detail) {
    if (detail.length() <= DETAIL_CHARS_MAX) {
      return detail;
    }
    boolean half = Character.isHighSurrogate(detail.charAt(DETAIL_CHARS_MAX - 1));
    return detail.substring(0, DETAIL_CHARS_MAX - (half ? 1 : 0)) + " …";
  }

  private Outcome outcome(KeptProposal kept) {
    AppendTicket ticket = AppendTicket.open();
    submission.submit(kept.proposal(), ticket);
    try {
      Receipted receipted = ticket.receipted().get(ANSWER_SECONDS_MAX, TimeUnit.SECONDS);
      return new Outcome.Committed(receipted.committed().firstJsn());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RequestRejectedException refusal && !refusal.code().retryable()) {
        return new Outcome.Refused(refusal.code(), cut(String.valueOf(refusal.getMessage())));
      }
      LOG.warn(
          "Proposal {} is submitted again: {}", kept.requestHash(), String.valueOf(e.getCause()));
    } catch (TimeoutException e) {
      LOG.warn("Proposal {} was not answered, and is submitted again", kept.requestHash(), e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    return Outcome.Submitting.INSTANCE;
  }

  @Override
  public void close() {
    rounds.shutdownNow();
    try {
      boolean _ = rounds.awaitTermination(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
