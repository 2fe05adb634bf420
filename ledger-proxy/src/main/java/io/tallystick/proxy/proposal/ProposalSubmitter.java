package io.tallystick.proxy.proposal;

import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.KeptProposal.Outcome;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.Member;
import io.tallystick.node.OpenProposals;
import io.tallystick.proxy.execute.Arrival;
import io.tallystick.proxy.execute.ExecutePhase;
import io.tallystick.proxy.execute.UnverifiedSubmission;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
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
public final class ProposalSubmitter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ProposalSubmitter.class);
  private static final long ANSWER_SECONDS_MAX = 60;
  private static final long ROUND_SECONDS = 5;
  private static final int DETAIL_CHARS_MAX = 1_024;
  private static final long CLOSE_SECONDS_MAX = 5;

  private final LedgerNode node;
  private final ExecutePhase execute;
  private final ScheduledExecutorService rounds =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("proposals").daemon().factory());

  /// Begins with what was being submitted when the service stopped.
  public ProposalSubmitter(LedgerNode node, ExecutePhase execute) {
    this.node = node;
    this.execute = execute;
    if (node.openProposals().isPresent()) {
      var _ = rounds.scheduleWithFixedDelay(this::round, 0, ROUND_SECONDS, TimeUnit.SECONDS);
    }
  }

  /// @throws RequestRejectedException `FEATURE_NOT_ENABLED` if the node keeps none
  OpenProposals proposals() throws RequestRejectedException {
    return node.openProposals()
        .orElseThrow(() ->
            new RequestRejectedException(
                RejectionCode.FEATURE_NOT_ENABLED, "this service keeps no proposals"));
  }

  /// Who may sign, as of the newest committed journal of the ledger.
  Optional<Role> signing(LedgerId ledger, Digest kid) throws RequestRejectedException {
    return node.member(ledger, kid)
        .filter(member -> member.currentAt(node.timeMs()) && member.role().mayAppend())
        .map(Member::role);
  }

  /// NaN while that is not known.
  double openCount() {
    try {
      Optional<OpenProposals> kept = node.openProposals();
      return kept.isPresent() ? kept.get().openCount() : 0;
    } catch (RequestRejectedException _) {
      return Double.NaN;
    }
  }

  private void round() {
    attempt(() -> proposals().dropGone());
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
  ///
  /// @param kept that is being submitted
  /// @return as it is kept afterwards
  KeptProposal submit(KeptProposal kept) throws RequestRejectedException {
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
    UnverifiedSubmission submission =
        new UnverifiedSubmission(
            kept.proposal().request().strand(),
            List.of(kept.proposal().submitted()),
            kept.proposal().attestation().encode());
    execute.submit(List.of(Arrival.of(submission, ticket)));
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
