package io.tallystick.proxy.edge;

import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import io.tallystick.api.v1.Clue;
import io.tallystick.api.v1.ClueServiceGrpc;
import io.tallystick.api.v1.GetClueRequest;
import io.tallystick.api.v1.GetMembershipRequest;
import io.tallystick.api.v1.Lineage;
import io.tallystick.api.v1.ListLineageRequest;
import io.tallystick.model.Digest;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LineageQuery;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.read.LineageRequest;
import io.tallystick.proxy.read.PageLimit;
import io.tallystick.proxy.read.ReadableClues;

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
          ReadableClues clues = clues(request.getLedgerId(), request.getStrand());
          Digest clueId = FromProto.clueId(request.getClueId());
          return ToProto.clue(clueId, clues.clue(clueId));
        });
  }

  @Override
  public void listLineage(ListLineageRequest request, StreamObserver<Lineage> response) {
    calls.answer(
        response,
        () -> {
          ReadableClues clues = clues(request.getLedgerId(), request.getStrand());
          LineageQuery query = query(request);
          return ToProto.lineage(query.clueId(), clues.page(new LineageRequest(query)).lineage());
        });
  }

  private static LineageQuery query(ListLineageRequest request) throws RequestRejectedException {
    return new LineageQuery(
        FromProto.clueId(request.getClueId()),
        from(request),
        request.hasJsn(),
        request.getDescending(),
        PageLimit.ofJsns(Integer.toUnsignedLong(request.getLimit())),
        FromProto.size("as_of_size", request.getAsOfSize()),
        FromProto.size("head_size", request.getHeadSize()));
  }

  private static long from(ListLineageRequest request) throws RequestRejectedException {
    return switch (request.getFromCase()) {
      case INDEX -> FromProto.position("index", request.getIndex());
      case JSN -> FromProto.position("jsn", request.getJsn());
      case FROM_NOT_SET -> LineageQuery.FROM_END;
    };
  }

  @Override
  public void getMembership(GetMembershipRequest request, StreamObserver<Lineage> response) {
    calls.answer(
        response,
        () -> {
          ReadableClues clues = clues(request.getLedgerId(), request.getStrand());
          Digest clueId = FromProto.clueId(request.getClueId());
          long jsn = FromProto.position("jsn", request.getJsn());
          return ToProto.lineage(clueId, clues.membership(clueId, jsn));
        });
  }

  private ReadableClues clues(ByteString ledgerId, int strand) throws RequestRejectedException {
    return new ReadableClues(
        access, BearerInterceptor.current(), FromProto.strand(ledgerId, strand));
  }
}
