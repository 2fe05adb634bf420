package io.tallystick.master.duty;

import io.tallystick.journal.Proposal;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.Appending;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.KeptProposal.Outcome;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.MemberLookup;
import io.tallystick.node.NodeChange;
import java.util.List;

/// What the owner of a shard does for its ledgers unasked: it submits proposals, and has dropped
/// what expires. Its appends are fenced with the shard; whoever owns the shard next begins with
/// what had no outcome. Thread-safe.
public final class ShardDuties implements CompleteProposals {
  private final ProposalSubmitter proposals;
  private final ExpiredCertificates certificates;

  /// Begins.
  ///
  /// @param node in this process
  public ShardDuties(LedgerNode node, ProposalSubmitter.Submission submission) {
    this.proposals = new ProposalSubmitter(node, submission);
    this.certificates = new ExpiredCertificates(node);
  }

  /// Begins those of a shard, whose node is handed what `verifier` lets pass.
  public static ShardDuties of(LedgerNode node, SubmissionVerifier verifier) {
    return new ShardDuties(node, (proposal, ticket) -> submit(node, verifier, proposal, ticket));
  }

  private static void submit(
      LedgerNode node, SubmissionVerifier verifier, Proposal proposal, AppendTicket ticket) {
    StrandId strand = proposal.request().strand();
    MemberLookup keys = new MemberLookup(node, strand.ledger());
    try {
      var verified =
          verifier.verify(
              strand, List.of(proposal.submitted()), proposal.attestation().encode(), keys);
      node.append(List.of(new Appending(verified, ticket)), 0);
    } catch (RequestRejectedException e) {
      ticket.failed(keys.cause(e));
    }
  }

  @Override
  public KeptProposal submit(KeptProposal kept) throws RequestRejectedException {
    return proposals.submit(kept);
  }

  /// To be told of what the node has carried out.
  public void changed(NodeChange<?> change) {
    if (change instanceof NodeChange.ReplaceProposal replaced
        && replaced.after().outcome() instanceof Outcome.Submitting) {
      proposals.lookSoon();
    }
  }

  @Override
  public void close() {
    proposals.close();
    certificates.close();
  }
}
