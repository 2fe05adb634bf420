package io.tallystick.client.wire;

import com.google.protobuf.ByteString;
import io.tallystick.api.v1.GetProposalRequest;
import io.tallystick.api.v1.ListProposalsRequest;
import io.tallystick.api.v1.ListProposalsResponse;
import io.tallystick.api.v1.OpenProposal;
import io.tallystick.api.v1.PutProposalRequest;
import io.tallystick.api.v1.SignProposalRequest;
import io.tallystick.api.v1.WithdrawProposalRequest;
import io.tallystick.client.failure.TallyException;
import io.tallystick.cose.CoseSign1;
import io.tallystick.journal.Proposal;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;

/// The calls about one strand's proposals; nothing of the answers is checked here.
public final class ProposalCalls {
  private final ServiceCalls calls;
  private final StrandId strand;
  private final ByteString ledger;

  public ProposalCalls(ServiceCalls calls, StrandId strand) {
    this.calls = calls;
    this.strand = strand;
    this.ledger = WireBytes.toWire(strand.ledger().digest());
  }

  public OpenProposal put(Proposal proposal) throws TallyException {
    PutProposalRequest request =
        PutProposalRequest.newBuilder()
            .setLedgerId(ledger)
            .setStrand(strand.strand())
            .setProposal(WireBytes.toWire(proposal.encode()))
            .build();
    return calls.changing().proposals("PutProposal", stub -> stub.putProposal(request));
  }

  public OpenProposal get(Digest requestHash) throws TallyException {
    GetProposalRequest request =
        GetProposalRequest.newBuilder()
            .setLedgerId(ledger)
            .setRequestHash(WireBytes.toWire(requestHash))
            .build();
    return calls.proposals("GetProposal", stub -> stub.getProposal(request));
  }

  /// @param after as the page before says; empty: the first page
  public ListProposalsResponse page(ByteString after) throws TallyException {
    ListProposalsRequest request =
        ListProposalsRequest.newBuilder().setLedgerId(ledger).setAfterRequestHash(after).build();
    return calls.proposals("ListProposals", stub -> stub.listProposals(request));
  }

  public OpenProposal sign(Digest requestHash, CoseSign1 signature) throws TallyException {
    SignProposalRequest request =
        SignProposalRequest.newBuilder()
            .setLedgerId(ledger)
            .setStrand(strand.strand())
            .setRequestHash(WireBytes.toWire(requestHash))
            .setSignature(WireBytes.toWire(signature.encode()))
            .build();
    return calls.changing().proposals("SignProposal", stub -> stub.signProposal(request));
  }

  public void withdraw(Digest requestHash) throws TallyException {
    WithdrawProposalRequest request =
        WithdrawProposalRequest.newBuilder()
            .setLedgerId(ledger)
            .setRequestHash(WireBytes.toWire(requestHash))
            .build();
    var unused =
        calls.changing().proposals("WithdrawProposal", stub -> stub.withdrawProposal(request));
  }
}
