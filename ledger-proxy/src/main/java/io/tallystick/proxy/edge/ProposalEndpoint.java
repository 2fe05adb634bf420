package io.tallystick.proxy.edge;

import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import io.tallystick.api.v1.GetProposalRequest;
import io.tallystick.api.v1.ListProposalsRequest;
import io.tallystick.api.v1.ListProposalsResponse;
import io.tallystick.api.v1.OpenProposal;
import io.tallystick.api.v1.ProposalServiceGrpc;
import io.tallystick.api.v1.ProposalSigner;
import io.tallystick.api.v1.PutProposalRequest;
import io.tallystick.api.v1.SignProposalRequest;
import io.tallystick.api.v1.WithdrawProposalRequest;
import io.tallystick.api.v1.WithdrawProposalResponse;
import io.tallystick.cose.CoseSign1;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.KeptProposal.Outcome;
import io.tallystick.node.Member;
import io.tallystick.proxy.proposal.Proposals;
import io.tallystick.proxy.proposal.ShownProposal;
import io.tallystick.proxy.read.PageLimit;

/// Proposals on the wire.
final class ProposalEndpoint extends ProposalServiceGrpc.ProposalServiceImplBase {
  private final Proposals proposals;
  private final Calls calls;

  ProposalEndpoint(Proposals proposals, Calls calls) {
    this.proposals = proposals;
    this.calls = calls;
  }

  @Override
  public void putProposal(PutProposalRequest request, StreamObserver<OpenProposal> response) {
    calls.answer(
        response,
        () ->
            whole(
                proposals.put(
                    FromProto.strand(request.getLedgerId(), request.getStrand()),
                    proposal(request.getProposal()))));
  }

  private static Proposal proposal(ByteString encoded) throws RequestRejectedException {
    try {
      return Proposal.decode(FromProto.bytes(encoded));
    } catch (MalformedException e) {
      throw new RequestRejectedException(RejectionCode.MALFORMED, "proposal: " + e.getMessage(), e);
    }
  }

  @Override
  public void getProposal(GetProposalRequest request, StreamObserver<OpenProposal> response) {
    calls.answer(
        response,
        () ->
            whole(
                proposals.get(
                    FromProto.ledgerId(request.getLedgerId()),
                    FromProto.requestHash(request.getRequestHash()),
                    BearerInterceptor.current())));
  }

  @Override
  public void listProposals(
      ListProposalsRequest request, StreamObserver<ListProposalsResponse> response) {
    calls.answer(
        response,
        () -> {
          Digest after =
              request.getAfterRequestHash().isEmpty()
                  ? null
                  : FromProto.requestHash(request.getAfterRequestHash());
          Proposals.Page page =
              proposals.list(
                  FromProto.ledgerId(request.getLedgerId()),
                  after,
                  PageLimit.of(Integer.toUnsignedLong(request.getLimit())),
                  BearerInterceptor.current());
          ListProposalsResponse.Builder answer = ListProposalsResponse.newBuilder();
          page.proposals().forEach(each -> answer.addProposals(row(each)));
          page.next().ifPresent(last -> answer.setNextAfterRequestHash(ToProto.bytes(last)));
          return answer.build();
        });
  }

  @Override
  public void signProposal(SignProposalRequest request, StreamObserver<OpenProposal> response) {
    calls.answer(
        response,
        () ->
            whole(
                proposals.sign(
                    FromProto.strand(request.getLedgerId(), request.getStrand()),
                    FromProto.requestHash(request.getRequestHash()),
                    signature(request.getSignature()))));
  }

  private static CoseSign1 signature(ByteString encoded) throws RequestRejectedException {
    try {
      return CoseSign1.decode(FromProto.bytes(encoded));
    } catch (MalformedException e) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, "signature: " + e.getMessage(), e);
    }
  }

  @Override
  public void withdrawProposal(
      WithdrawProposalRequest request, StreamObserver<WithdrawProposalResponse> response) {
    calls.answer(
        response,
        () -> {
          proposals.withdraw(
              FromProto.ledgerId(request.getLedgerId()),
              FromProto.requestHash(request.getRequestHash()),
              BearerInterceptor.current());
          return WithdrawProposalResponse.getDefaultInstance();
        });
  }

  private static OpenProposal whole(ShownProposal shown) {
    return row(shown).setProposal(ToProto.bytes(shown.kept().proposal().encode())).build();
  }

  private static OpenProposal.Builder row(ShownProposal shown) {
    RequestHeader header = shown.kept().proposal().request();
    OpenProposal.Builder row =
        OpenProposal.newBuilder()
            .setRequestHash(ToProto.bytes(shown.kept().requestHash()))
            .setKind(header.kind().code())
            .setClientTimeMs(header.clientTimeMs())
            .setExpiresMs(header.expiresMs())
            .setPolicy(
                switch (shown.policy()) {
                  case ONE_OWNER -> OpenProposal.Policy.ONE_OWNER;
                  case EVERY_OWNER -> OpenProposal.Policy.EVERY_OWNER;
                  case OWNER_AND_REGULATOR -> OpenProposal.Policy.OWNER_AND_REGULATOR;
                });
    shown.signers().forEach(member -> row.addSigners(signer(member)));
    shown.missing().forEach(member -> row.addMissing(signer(member)));
    if (shown.impossible().isPresent()) {
      return row.setStatus(OpenProposal.Status.IMPOSSIBLE)
          .setRefusal(GrpcProblems.toProto(shown.impossible().get()));
    }
    switch (shown.kept().outcome()) {
      case Outcome.Open _ -> row.setStatus(OpenProposal.Status.OPEN);
      case Outcome.Submitting _ -> row.setStatus(OpenProposal.Status.SUBMITTING);
      case Outcome.Committed(long jsn) -> row.setStatus(OpenProposal.Status.COMMITTED).setJsn(jsn);
      case Outcome.Refused(RejectionCode code, String detail) ->
          row.setStatus(OpenProposal.Status.REFUSED)
              .setRefusal(GrpcProblems.toProto(new RequestRejectedException(code, detail)));
    }
    return row;
  }

  private static ProposalSigner signer(Member member) {
    return ProposalSigner.newBuilder()
        .setKid(ToProto.bytes(member.key().kid()))
        .setRole(member.role().code())
        .build();
  }
}
