package io.tallystick.proxy.edge;

import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import io.tallystick.api.v1.GetPseudoGenesisRequest;
import io.tallystick.api.v1.GetPseudoGenesisResponse;
import io.tallystick.api.v1.GetRemovalCertificateRequest;
import io.tallystick.api.v1.GetRemovalCertificateResponse;
import io.tallystick.api.v1.GetSnapshotCluesRequest;
import io.tallystick.api.v1.GetSnapshotCluesResponse;
import io.tallystick.api.v1.GetSnapshotStateRequest;
import io.tallystick.api.v1.GetSnapshotStateResponse;
import io.tallystick.api.v1.GetSnapshotWindowRequest;
import io.tallystick.api.v1.GetSnapshotWindowResponse;
import io.tallystick.api.v1.PreparePurgeRequest;
import io.tallystick.api.v1.PreparePurgeResponse;
import io.tallystick.api.v1.RemovalServiceGrpc;
import io.tallystick.master.LedgerRegistry;
import io.tallystick.model.Digest;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerPurges;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.read.ReadableLog;
import io.tallystick.proxy.read.ReadablePurges;
import java.util.ArrayList;
import java.util.List;

/// The gRPC service of what removals need and leave behind.
final class RemovalEndpoint extends RemovalServiceGrpc.RemovalServiceImplBase {
  private final LedgerRegistry registry;
  private final ReadAccess access;
  private final Calls calls;

  RemovalEndpoint(LedgerRegistry registry, ReadAccess access, Calls calls) {
    this.registry = registry;
    this.access = access;
    this.calls = calls;
  }

  private ReadablePurges purges() {
    return new ReadablePurges(registry, access, BearerInterceptor.current());
  }

  @Override
  public void preparePurge(
      PreparePurgeRequest request, StreamObserver<PreparePurgeResponse> response) {
    calls.answer(
        response,
        () ->
            PreparePurgeResponse.newBuilder()
                .setSnapshot(
                    ToProto.bytes(
                        purges()
                            .prepare(
                                FromProto.strand(request.getLedgerId(), request.getStrand()),
                                FromProto.position("height", request.getHeight()),
                                absent(request))
                            .encoded()))
                .build());
  }

  private static List<Digest> absent(PreparePurgeRequest request) throws RequestRejectedException {
    List<Digest> absent = new ArrayList<>(request.getAbsentKidsCount());
    for (ByteString kid : request.getAbsentKidsList()) {
      absent.add(FromProto.kid(kid));
    }
    return absent;
  }

  @Override
  public void getPseudoGenesis(
      GetPseudoGenesisRequest request, StreamObserver<GetPseudoGenesisResponse> response) {
    calls.answer(
        response,
        () ->
            GetPseudoGenesisResponse.newBuilder()
                .setPseudoGenesis(
                    ToProto.bytes(
                        purges()
                            .pseudoGenesis(
                                FromProto.strand(request.getLedgerId(), request.getStrand()))))
                .build());
  }

  @Override
  public void getSnapshotWindow(
      GetSnapshotWindowRequest request, StreamObserver<GetSnapshotWindowResponse> response) {
    calls.answer(
        response,
        () ->
            GetSnapshotWindowResponse.newBuilder()
                .setEntries(
                    ToProto.bytes(
                        purges()
                            .window(FromProto.strand(request.getLedgerId(), request.getStrand()))))
                .build());
  }

  @Override
  public void getSnapshotClues(
      GetSnapshotCluesRequest request, StreamObserver<GetSnapshotCluesResponse> response) {
    calls.answer(
        response,
        () -> {
          LedgerPurges.FilePart part =
              purges()
                  .clues(
                      FromProto.strand(request.getLedgerId(), request.getStrand()),
                      FromProto.position("first_kept", request.getFirstKept()),
                      FromProto.position("offset", request.getOffset()));
          return GetSnapshotCluesResponse.newBuilder()
              .setFirstKept(part.firstKept())
              .setFileBytes(part.fileBytes())
              .setPart(ToProto.bytes(part.bytes()))
              .build();
        });
  }

  @Override
  public void getSnapshotState(
      GetSnapshotStateRequest request, StreamObserver<GetSnapshotStateResponse> response) {
    calls.answer(
        response,
        () -> {
          LedgerPurges.FilePart part =
              purges()
                  .state(
                      FromProto.strand(request.getLedgerId(), request.getStrand()),
                      FromProto.position("first_kept", request.getFirstKept()),
                      FromProto.position("offset", request.getOffset()));
          return GetSnapshotStateResponse.newBuilder()
              .setFirstKept(part.firstKept())
              .setFileBytes(part.fileBytes())
              .setPart(ToProto.bytes(part.bytes()))
              .build();
        });
  }

  @Override
  public void getRemovalCertificate(
      GetRemovalCertificateRequest request,
      StreamObserver<GetRemovalCertificateResponse> response) {
    calls.answer(
        response,
        () ->
            GetRemovalCertificateResponse.newBuilder()
                .setCertificate(
                    ToProto.bytes(
                        new ReadableLog(
                                access,
                                BearerInterceptor.current(),
                                FromProto.strand(request.getLedgerId(), request.getStrand()))
                            .removalCertificate(FromProto.position("jsn", request.getJsn()))))
                .build());
  }
}
