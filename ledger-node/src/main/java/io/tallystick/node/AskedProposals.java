package io.tallystick.node;

import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Proposals as questions to a node.
record AskedProposals(NodeDoor node) implements OpenProposals {
  @Override
  public Optional<KeptProposal> find(LedgerId ledger, Digest requestHash)
      throws RequestRejectedException {
    return node.ask(new KeptRead.Proposal(ledger, requestHash));
  }

  @Override
  public List<KeptProposal> list(LedgerId ledger, @Nullable Digest after, int limit)
      throws RequestRejectedException {
    return node.ask(new KeptRead.Proposals(ledger, Optional.ofNullable(after), limit));
  }

  @Override
  public boolean replace(@Nullable KeptProposal before, KeptProposal after)
      throws RequestRejectedException {
    return node.change(new NodeChange.ReplaceProposal(Optional.ofNullable(before), after));
  }

  @Override
  public boolean remove(KeptProposal kept) throws RequestRejectedException {
    return node.change(new NodeChange.RemoveProposal(kept, Optional.empty()));
  }

  @Override
  public List<KeptProposal> submitting() throws RequestRejectedException {
    return node.ask(new KeptRead.Submitting());
  }

  @Override
  public void dropGone() throws RequestRejectedException {
    Done _ = node.change(new NodeChange.DropGoneProposals());
  }

  @Override
  public long openCount() throws RequestRejectedException {
    return node.ask(new KeptRead.OpenCount());
  }
}
