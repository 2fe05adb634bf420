package io.tallystick.proxy.edge;

import com.google.protobuf.ByteString;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.Block;
import io.tallystick.api.v1.ConsistencyProof;
import io.tallystick.api.v1.Erasure;
import io.tallystick.api.v1.GetBlockRequest;
import io.tallystick.api.v1.GetCheckpointRequest;
import io.tallystick.api.v1.GetCheckpointResponse;
import io.tallystick.api.v1.GetConsistencyProofRequest;
import io.tallystick.api.v1.GetErasureRequest;
import io.tallystick.api.v1.GetInclusionProofRequest;
import io.tallystick.api.v1.GetJournalRequest;
import io.tallystick.api.v1.GetJournalsRequest;
import io.tallystick.api.v1.GetJournalsResponse;
import io.tallystick.api.v1.GetKeyChainRequest;
import io.tallystick.api.v1.GetKeyChainResponse;
import io.tallystick.api.v1.GetLastGrantTimeRequest;
import io.tallystick.api.v1.GetReceiptRequest;
import io.tallystick.api.v1.GetReceiptResponse;
import io.tallystick.api.v1.GetTileRequest;
import io.tallystick.api.v1.GetTileResponse;
import io.tallystick.api.v1.GetTrustedAnchorRequest;
import io.tallystick.api.v1.GrantedTime;
import io.tallystick.api.v1.InclusionProof;
import io.tallystick.api.v1.JournalAnswer;
import io.tallystick.api.v1.JournalEntry;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.ListJournalsRequest;
import io.tallystick.api.v1.ListJournalsResponse;
import io.tallystick.api.v1.LogChunk;
import io.tallystick.api.v1.ReadLogRequest;
import io.tallystick.api.v1.RequestTimeRequest;
import io.tallystick.api.v1.RequestedTime;
import io.tallystick.api.v1.SetTrustedAnchorRequest;
import io.tallystick.api.v1.TrustedAnchor;
import io.tallystick.api.v1.Verdict;
import io.tallystick.api.v1.VerifyRequest;
import io.tallystick.journal.JournalFilter;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.BlockView;
import io.tallystick.node.KeptAnchor;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.anchor.RequestedTimes;
import io.tallystick.proxy.execute.ExecutePhase;
import io.tallystick.proxy.read.LogWalk;
import io.tallystick.proxy.read.PageCursor;
import io.tallystick.proxy.read.PageLimit;
import io.tallystick.proxy.read.ReadOutcome;
import io.tallystick.proxy.read.ReadableLog;
import io.tallystick.proxy.trust.TrustedAnchors;
import io.tallystick.proxy.verify.ServerVerifier;
import io.tallystick.proxy.witness.CosignedHeads;
import io.tallystick.receipt.ReceiptFile;
import java.util.Optional;
import java.util.concurrent.Executor;

/// Journals on the wire: appending, reading, proving.
final class JournalEndpoint extends JournalServiceGrpc.JournalServiceImplBase {
  private final ReadAccess access;
  private final CosignedHeads heads;
  private final TrustedAnchors anchors;
  private final RequestedTimes times;
  private final ServerVerifier verifier;
  private final ExecutePhase execute;
  private final Calls calls;
  private final OpenCalls openCalls;
  private final Executor executor;

  JournalEndpoint(
      ReadAccess access,
      CosignedHeads heads,
      TrustedAnchors anchors,
      RequestedTimes times,
      ServerVerifier verifier,
      ExecutePhase execute,
      Calls calls,
      OpenCalls openCalls,
      Executor executor) {
    this.access = access;
    this.heads = heads;
    this.anchors = anchors;
    this.times = times;
    this.verifier = verifier;
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
      LogWalk walk =
          log(request.getLedgerId(), request.getStrand())
              .walk(
                  FromProto.position("from", request.getFrom()),
                  FromProto.size("size", request.getSize()),
                  !request.getWithoutBodies());
      new ReadLogCall(flowControlled(chunks), walk, calls, openCalls, executor).start();
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
        () ->
            ToProto.journal(
                log(request.getLedgerId(), request.getStrand())
                    .proven(
                        FromProto.position("jsn", request.getJsn()),
                        FromProto.size("size", request.getSize()))));
  }

  @Override
  public void getJournals(
      GetJournalsRequest request, StreamObserver<GetJournalsResponse> response) {
    calls.answer(
        response,
        () -> {
          GetJournalsResponse.Builder answer = GetJournalsResponse.newBuilder();
          log(request.getLedgerId(), request.getStrand())
              .proven(request.getJsnList(), FromProto.size("size", request.getSize()))
              .forEach(each -> answer.addAnswers(answer(each)));
          return answer.build();
        });
  }

  private JournalAnswer answer(ReadOutcome outcome) {
    JournalAnswer.Builder answer = JournalAnswer.newBuilder();
    return switch (outcome) {
      case ReadOutcome.Found found -> answer.setJournal(ToProto.journal(found.proven())).build();
      case ReadOutcome.Refused refused ->
          answer.setProblem(calls.submissionProblem(refused.refusal())).build();
    };
  }

  @Override
  public void listJournals(
      ListJournalsRequest request, StreamObserver<ListJournalsResponse> response) {
    calls.answer(
        response,
        () -> {
          ReadableLog log = log(request.getLedgerId(), request.getStrand());
          long from = FromProto.position("from_jsn", request.getFromJsn());
          int limit = PageLimit.of(Integer.toUnsignedLong(request.getLimit()));
          JournalFilter filter = FromProto.filter(request);
          if (filter.isAll()) {
            return ToProto.page(log.page(new PageCursor(from, PageCursor.NEWEST), limit));
          }
          long size = FromProto.size("size", request.getSize());
          return ToProto.found(log.scan(filter, new PageCursor(from, size), limit));
        });
  }

  @Override
  public void getReceipt(GetReceiptRequest request, StreamObserver<GetReceiptResponse> response) {
    calls.answer(
        response,
        () ->
            ToProto.receipt(
                log(request.getLedgerId(), request.getStrand())
                    .receiptedLeaf(FromProto.position("jsn", request.getJsn()))));
  }

  @Override
  public void getErasure(GetErasureRequest request, StreamObserver<Erasure> response) {
    calls.answer(
        response,
        () ->
            ToProto.erasure(
                log(request.getLedgerId(), request.getStrand())
                    .erasure(FromProto.position("jsn", request.getJsn()))));
  }

  @Override
  public void getInclusionProof(
      GetInclusionProofRequest request, StreamObserver<InclusionProof> response) {
    calls.answer(
        response,
        () ->
            ToProto.inclusion(
                log(request.getLedgerId(), request.getStrand())
                    .inclusion(
                        FromProto.position("jsn", request.getJsn()),
                        FromProto.size("size", request.getSize()))));
  }

  @Override
  public void getConsistencyProof(
      GetConsistencyProofRequest request, StreamObserver<ConsistencyProof> response) {
    calls.answer(
        response,
        () ->
            ToProto.consistency(
                log(request.getLedgerId(), request.getStrand())
                    .consistency(
                        FromProto.size("from_size", request.getFromSize()),
                        FromProto.size("to_size", request.getToSize()))));
  }

  @Override
  public void getTile(GetTileRequest request, StreamObserver<GetTileResponse> response) {
    calls.answer(
        response,
        () ->
            GetTileResponse.newBuilder()
                .setHashes(
                    ToProto.bytes(
                        log(request.getLedgerId(), request.getStrand())
                            .tile(
                                FromProto.position("level", request.getLevel()),
                                FromProto.position("index", request.getIndex()),
                                FromProto.position("width", request.getWidth()))))
                .build());
  }

  @Override
  public void getBlock(GetBlockRequest request, StreamObserver<Block> response) {
    calls.answer(response, () -> ToProto.block(block(request)));
  }

  private BlockView block(GetBlockRequest request) throws RequestRejectedException {
    ReadableLog log = log(request.getLedgerId(), request.getStrand());
    return switch (request.getWhichCase()) {
      case HEIGHT -> log.blockAt(FromProto.position("height", request.getHeight()));
      case JSN -> log.blockOf(FromProto.position("jsn", request.getJsn()));
      case LATEST, WHICH_NOT_SET -> log.newestBlock();
    };
  }

  @Override
  public void getCheckpoint(
      GetCheckpointRequest request, StreamObserver<GetCheckpointResponse> response) {
    calls.answer(
        response,
        () ->
            GetCheckpointResponse.newBuilder().setNote(ToProto.bytes(checkpoint(request))).build());
  }

  @Override
  public void getKeyChain(
      GetKeyChainRequest request, StreamObserver<GetKeyChainResponse> response) {
    calls.answer(
        response,
        () ->
            GetKeyChainResponse.newBuilder()
                .setKeyChain(
                    ToProto.bytes(
                        log(request.getLedgerId(), request.getStrand()).keyChain().encode()))
                .build());
  }

  private Bytes checkpoint(GetCheckpointRequest request) throws RequestRejectedException {
    ReadableLog log = log(request.getLedgerId(), request.getStrand());
    return heads.note(log.strand(), log.checkpoint(), request.getCosigned());
  }

  @Override
  public void setTrustedAnchor(
      SetTrustedAnchorRequest request, StreamObserver<TrustedAnchor> response) {
    calls.answer(
        response,
        () ->
            anchor(
                anchors.set(
                    FromProto.strand(request.getLedgerId(), request.getStrand()),
                    FromProto.bytes(request.getAnchor()))));
  }

  @Override
  public void getTrustedAnchor(
      GetTrustedAnchorRequest request, StreamObserver<TrustedAnchor> response) {
    calls.answer(
        response,
        () ->
            anchor(
                anchors.nearest(
                    FromProto.strand(request.getLedgerId(), request.getStrand()),
                    FromProto.size("size", request.getSize()),
                    BearerInterceptor.current())));
  }

  private static TrustedAnchor anchor(KeptAnchor kept) {
    return TrustedAnchor.newBuilder().setAnchor(ToProto.bytes(kept.encoded())).build();
  }

  @Override
  public void getLastGrantTime(
      GetLastGrantTimeRequest request, StreamObserver<GrantedTime> response) {
    calls.answer(
        response,
        () -> {
          // The wire's times are unsigned; whatever is beyond 2^63 - 1 is after every time there
          // is.
          long timeMs = request.getTimeMs() < 0 ? Long.MAX_VALUE : request.getTimeMs();
          var found = log(request.getLedgerId(), request.getStrand()).lastGrantTime(timeMs);
          return GrantedTime.newBuilder().setJsn(found.jsn()).setProvenMs(found.provenMs()).build();
        });
  }

  @Override
  public void verify(VerifyRequest request, StreamObserver<Verdict> response) {
    calls.answer(response, () -> ToProto.verdict(verdict(request)));
  }

  private io.tallystick.proxy.verify.Verdict verdict(VerifyRequest request)
      throws RequestRejectedException {
    ServerVerifier.Caller caller =
        verifier.of(
            FromProto.strand(request.getLedgerId(), request.getStrand()),
            BearerInterceptor.current());
    Optional<Bytes> data =
        request.hasData() ? Optional.of(FromProto.bytes(request.getData())) : Optional.empty();
    return switch (request.getWhatCase()) {
      case JSN -> caller.journal(FromProto.position("jsn", request.getJsn()), data);
      case CLUE_ID -> caller.clue(FromProto.clueId(request.getClueId()), data);
      case RECEIPT_FILE -> {
        if (data.isPresent()) {
          throw new RequestRejectedException(
              RejectionCode.MALFORMED, "data goes with jsn or clue_id, not with a receipt_file");
        }
        try {
          yield caller.receipt(ReceiptFile.decode(FromProto.bytes(request.getReceiptFile())));
        } catch (MalformedException e) {
          yield caller.malformed(e);
        }
      }
      case WHAT_NOT_SET ->
          throw new RequestRejectedException(
              RejectionCode.MALFORMED, "none of receipt_file, jsn and clue_id is there");
    };
  }

  @Override
  public void requestTime(RequestTimeRequest request, StreamObserver<RequestedTime> response) {
    calls.answerLater(
        response,
        () ->
            times.request(
                FromProto.strand(request.getLedgerId(), request.getStrand()),
                BearerInterceptor.current()),
        ToProto::requestedTime);
  }

  private ReadableLog log(ByteString ledgerId, int strand) throws RequestRejectedException {
    return new ReadableLog(access, BearerInterceptor.current(), FromProto.strand(ledgerId, strand));
  }
}
