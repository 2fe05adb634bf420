package io.tallystick.proxy.edge;

import io.grpc.stub.StreamObserver;
import io.tallystick.api.v1.Clue;
import io.tallystick.api.v1.ClueServiceGrpc;
import io.tallystick.api.v1.GetClueRequest;
import io.tallystick.api.v1.GetMembershipRequest;
import io.tallystick.api.v1.Lineage;
import io.tallystick.api.v1.ListLineageRequest;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LineageQuery;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.access.ReadAccess.Wants;
import io.tallystick.proxy.read.PageLimit;

/// Clues on the wire: state, lineage, membership.
final class ClueEndpoint extends ClueServiceGrpc.ClueServiceImplBase {
  private final ReadAccess access;
  private final Calls calls;

  ClueEndpoint(ReadAccess access, Calls calls) {
    this.access = access;
    this.calls = calls;
  }

  @Override
  public void getClue(GetClueRequest request, StreamObserver<Clue> response) {
    calls.answer(
        response,
        () -> {
          StrandId strand = FromProto.strand(request.getLedgerId(), request.getStrand());
          Digest clueId = FromProto.clueId(request.getClueId());
          return ToProto.clue(clueId, node(strand).clue(strand, clueId));
        });
  }

  @Override
  public void listLineage(ListLineageRequest request, StreamObserver<Lineage> response) {
    calls.answer(response, () -> list(request));
  }

  private Lineage list(ListLineageRequest request) throws RequestRejectedException {
    StrandId strand = FromProto.strand(request.getLedgerId(), request.getStrand());
    Digest clueId = FromProto.clueId(request.getClueId());
    LineageQuery query =
        new LineageQuery(
            clueId,
            from(request),
            request.hasJsn(),
            request.getDescending(),
            limit(Integer.toUnsignedLong(request.getLimit())),
            FromProto.size("as_of_size", request.getAsOfSize()),
            FromProto.size("head_size", request.getHeadSize()));
    return ToProto.lineage(clueId, node(strand).lineage(strand, query));
  }

  private static long from(ListLineageRequest request) throws RequestRejectedException {
    return switch (request.getFromCase()) {
      case INDEX -> FromProto.position("index", request.getIndex());
      case JSN -> FromProto.position("jsn", request.getJsn());
      case FROM_NOT_SET -> LineageQuery.FROM_END;
    };
  }

  private static int limit(long value) throws RequestRejectedException {
    if (value > LineageQuery.LIMIT_MAX) {
      throw new RequestRejectedException(
              RejectionCode.TOO_LARGE,
              "page of " + value + " journals, at most " + LineageQuery.LIMIT_MAX)
          .withLimit(LineageQuery.LIMIT_MAX);
    }
    return value == 0 ? PageLimit.DEFAULT : (int) value;
  }

  @Override
  public void getMembership(GetMembershipRequest request, StreamObserver<Lineage> response) {
    calls.answer(
        response,
        () -> {
          StrandId strand = FromProto.strand(request.getLedgerId(), request.getStrand());
          Digest clueId = FromProto.clueId(request.getClueId());
          long jsn = FromProto.position("jsn", request.getJsn());
          return ToProto.lineage(clueId, node(strand).membership(strand, clueId, jsn));
        });
  }

  private LedgerNode node(StrandId strand) throws RequestRejectedException {
    return access.node(strand.ledger(), BearerInterceptor.current(), Wants.EVIDENCE);
  }
}
