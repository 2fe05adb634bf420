package io.tallystick.proxy.edge;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.Block;
import io.tallystick.api.v1.ConsistencyProof;
import io.tallystick.api.v1.GetBlockRequest;
import io.tallystick.api.v1.GetCheckpointRequest;
import io.tallystick.api.v1.GetCheckpointResponse;
import io.tallystick.api.v1.GetConsistencyProofRequest;
import io.tallystick.api.v1.GetInclusionProofRequest;
import io.tallystick.api.v1.GetJournalRequest;
import io.tallystick.api.v1.GetJournalsRequest;
import io.tallystick.api.v1.GetJournalsResponse;
import io.tallystick.api.v1.GetReceiptRequest;
import io.tallystick.api.v1.GetReceiptResponse;
import io.tallystick.api.v1.InclusionProof;
import io.tallystick.api.v1.JournalEntry;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.ListJournalsRequest;
import io.tallystick.api.v1.ListJournalsResponse;
import io.tallystick.api.v1.LogChunk;
import io.tallystick.api.v1.ReadLogRequest;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.BlockView;
import io.tallystick.node.LedgerNode;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.access.ReadAccess.Wants;
import io.tallystick.proxy.access.ReadGrant;
import io.tallystick.proxy.execute.ExecutePhase;
import io.tallystick.proxy.read.LogPage;
import io.tallystick.proxy.read.PageLimit;
import java.util.List;
import java.util.concurrent.Executor;

/// Journals on the wire: appending, reading, proving.
final class JournalEndpoint extends JournalServiceGrpc.JournalServiceImplBase {
  private final ReadAccess access;
  private final ExecutePhase execute;
  private final Calls calls;
  private final OpenCalls openCalls;
  private final Executor executor;

  JournalEndpoint(
      ReadAccess access,
      ExecutePhase execute,
      Calls calls,
      OpenCalls openCalls,
      Executor executor) {
    this.access = access;
    this.execute = execute;
    this.calls = calls;
    this.openCalls = openCalls;
    this.executor = executor;
  }

  @Override
  public StreamObserver<AppendRequest> append(StreamObserver<AppendResponse> responses) {
    return new AppendCall(flowControlled(responses), execute, calls, openCalls).start();
  }

  @Override
  public void readLog(ReadLogRequest request, StreamObserver<LogChunk> chunks) {
    try {
      ReadGrant grant =
          access.grant(
              FromProto.ledgerId(request.getLedgerId()),
              BearerInterceptor.current(),
              request.getWithoutBodies() ? Wants.EVIDENCE : Wants.BODIES);
      new ReadLogCall(flowControlled(chunks), grant, request, calls, openCalls, executor).start();
    } catch (RequestRejectedException | RuntimeException e) {
      chunks.onError(calls.status(e));
    }
  }

  private static <T> ServerCallStreamObserver<T> flowControlled(StreamObserver<T> observer) {
    return (ServerCallStreamObserver<T>) observer;
  }

  @Override
  public void getJournal(GetJournalRequest request, StreamObserver<JournalEntry> response) {
    calls.answer(
        response,
        () -> {
          StrandId strand = FromProto.strand(request.getLedgerId(), request.getStrand());
          long size = FromProto.size("size", request.getSize());
          return new JournalReads(node(strand, Wants.BODIES), strand, size).read(request.getJsn());
        });
  }

  @Override
  public void getJournals(
      GetJournalsRequest request, StreamObserver<GetJournalsResponse> response) {
    calls.answer(
        response,
        () -> {
          StrandId strand = FromProto.strand(request.getLedgerId(), request.getStrand());
          long size = FromProto.size("size", request.getSize());
          LedgerNode node = node(strand, Wants.BODIES);
          // One tree for all of them, however many blocks are sealed meanwhile.
          long oneSize = size == 0 ? node.ledger(strand.ledger()).size() : size;
          return new JournalReads(node, strand, oneSize).read(request.getJsnList(), calls);
        });
  }

  @Override
  public void listJournals(
      ListJournalsRequest request, StreamObserver<ListJournalsResponse> response) {
    calls.answer(response, () -> list(request));
  }

  private ListJournalsResponse list(ListJournalsRequest request) throws RequestRejectedException {
    StrandId strand = FromProto.strand(request.getLedgerId(), request.getStrand());
    long from = FromProto.position("from_jsn", request.getFromJsn());
    int limit = PageLimit.of(Integer.toUnsignedLong(request.getLimit()));
    LedgerNode node = node(strand, Wants.BODIES);
    long size = node.newestBlock(strand).size();
    PageLimit.checkStart("from_jsn", from, size, size);
    ListJournalsResponse.Builder response = ListJournalsResponse.newBuilder().setSize(size);
    if (from == size) {
      return response.build();
    }
    List<LogPage.Item> page = LogPage.read(node, strand, from, size, true, limit);
    page.forEach(item -> response.addJournals(ToProto.journal(item)));
    long next = page.getLast().jsn() + 1;
    if (next < size) {
      response.setNextFromJsn(next);
    }
    return response.build();
  }

  @Override
  public void getReceipt(GetReceiptRequest request, StreamObserver<GetReceiptResponse> response) {
    calls.answer(
        response,
        () -> {
          StrandId strand = FromProto.strand(request.getLedgerId(), request.getStrand());
          long jsn = FromProto.position("jsn", request.getJsn());
          LedgerNode node = node(strand, Wants.EVIDENCE);
          return GetReceiptResponse.newBuilder()
              .setLeaf(ToProto.bytes(node.journal(strand, jsn, false).leaf()))
              .setReceipt(ToProto.bytes(node.receipt(strand, jsn)))
              .build();
        });
  }

  @Override
  public void getInclusionProof(
      GetInclusionProofRequest request, StreamObserver<InclusionProof> response) {
    calls.answer(
        response,
        () -> {
          StrandId strand = FromProto.strand(request.getLedgerId(), request.getStrand());
          long jsn = FromProto.position("jsn", request.getJsn());
          long size = FromProto.size("size", request.getSize());
          return ToProto.inclusion(node(strand, Wants.EVIDENCE).inclusion(strand, jsn, size));
        });
  }

  @Override
  public void getConsistencyProof(
      GetConsistencyProofRequest request, StreamObserver<ConsistencyProof> response) {
    calls.answer(
        response,
        () -> {
          StrandId strand = FromProto.strand(request.getLedgerId(), request.getStrand());
          long from = FromProto.size("from_size", request.getFromSize());
          long to = FromProto.size("to_size", request.getToSize());
          return ToProto.consistency(node(strand, Wants.EVIDENCE).consistency(strand, from, to));
        });
  }

  @Override
  public void getBlock(GetBlockRequest request, StreamObserver<Block> response) {
    calls.answer(response, () -> ToProto.block(block(request)));
  }

  private BlockView block(GetBlockRequest request) throws RequestRejectedException {
    StrandId strand = FromProto.strand(request.getLedgerId(), request.getStrand());
    LedgerNode node = node(strand, Wants.EVIDENCE);
    return switch (request.getWhichCase()) {
      case HEIGHT -> node.blockAt(strand, FromProto.position("height", request.getHeight()));
      case JSN -> node.blockOf(strand, FromProto.position("jsn", request.getJsn()));
      case LATEST, WHICH_NOT_SET -> node.newestBlock(strand);
    };
  }

  @Override
  public void getCheckpoint(
      GetCheckpointRequest request, StreamObserver<GetCheckpointResponse> response) {
    calls.answer(
        response,
        () -> {
          StrandId strand = FromProto.strand(request.getLedgerId(), request.getStrand());
          return GetCheckpointResponse.newBuilder()
              .setNote(ToProto.bytes(node(strand, Wants.EVIDENCE).checkpoint(strand)))
              .build();
        });
  }

  private LedgerNode node(StrandId strand, Wants wants) throws RequestRejectedException {
    return access.node(strand.ledger(), BearerInterceptor.current(), wants);
  }
}
