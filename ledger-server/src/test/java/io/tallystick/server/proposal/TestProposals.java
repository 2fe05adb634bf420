package io.tallystick.server.proposal;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.node.KeptProposal;

/// The rows of proposals, for tests that compare rows.
public final class TestProposals {
  private TestProposals() {}

  public static Bytes key(LedgerId ledger, Digest requestHash) {
    return ProposalRow.key(ledger, requestHash);
  }

  public static Bytes row(KeptProposal kept) {
    return ProposalRow.encode(kept);
  }
}
