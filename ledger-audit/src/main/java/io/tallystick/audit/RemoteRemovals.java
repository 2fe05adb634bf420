package io.tallystick.audit;

import com.google.protobuf.ByteString;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.tallystick.api.ProblemTrailer;
import io.tallystick.api.v1.GetConsistencyProofRequest;
import io.tallystick.api.v1.GetPseudoGenesisRequest;
import io.tallystick.api.v1.GetSnapshotWindowRequest;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.Problem;
import io.tallystick.api.v1.RemovalServiceGrpc;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.StrandId;
import io.tallystick.removal.Snapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// What a service says of a log whose beginning was purged.
record RemoteRemovals(Channel channel, StrandId strand) {
  private static final int MESSAGE_BYTES_MAX = 2 * Snapshot.BYTES_MAX;
  private static final long WAIT_SECONDS = 60;

  Optional<PurgedStart> purged() throws IOException {
    ByteString ledger = ByteString.copyFrom(strand.ledger().digest().toArray());
    try {
      Bytes file =
          bytes(
              stub()
                  .getPseudoGenesis(
                      GetPseudoGenesisRequest.newBuilder()
                          .setLedgerId(ledger)
                          .setStrand(strand.strand())
                          .build())
                  .getPseudoGenesis());
      Bytes window =
          bytes(
              stub()
                  .getSnapshotWindow(
                      GetSnapshotWindowRequest.newBuilder()
                          .setLedgerId(ledger)
                          .setStrand(strand.strand())
                          .build())
                  .getEntries());
      return Optional.of(new PurgedStart(file, window));
    } catch (StatusRuntimeException e) {
      if (nothingPurged(e)) {
        return Optional.empty();
      }
      throw new IOException("GetPseudoGenesis failed: " + e.getStatus().getCode(), e);
    }
  }

  private RemovalServiceGrpc.RemovalServiceBlockingStub stub() {
    return RemovalServiceGrpc.newBlockingStub(channel)
        .withMaxInboundMessageSize(MESSAGE_BYTES_MAX)
        .withDeadlineAfter(WAIT_SECONDS, TimeUnit.SECONDS);
  }

  /// Nothing was, or the service knows no purges.
  private static boolean nothingPurged(StatusRuntimeException failure) {
    @Nullable Problem problem = ProblemTrailer.of(failure);
    return failure.getStatus().getCode() == Status.Code.UNIMPLEMENTED
        || (problem != null && problem.getCode().equals(RejectionCode.OUT_OF_RANGE.wire()));
  }

  ConsistencyProof consistency(long from, long to) throws IOException, LogFormatException {
    try {
      io.tallystick.api.v1.ConsistencyProof answer =
          JournalServiceGrpc.newBlockingStub(channel)
              .withDeadlineAfter(WAIT_SECONDS, TimeUnit.SECONDS)
              .getConsistencyProof(
                  GetConsistencyProofRequest.newBuilder()
                      .setLedgerId(ByteString.copyFrom(strand.ledger().digest().toArray()))
                      .setStrand(strand.strand())
                      .setFromSize(from)
                      .setToSize(to)
                      .build());
      List<Digest> path = new ArrayList<>();
      for (ByteString hash : answer.getPathList()) {
        if (hash.size() != Digest.BYTES) {
          throw LogFormatException.malformed("a proof with a hash of " + hash.size() + " bytes");
        }
        path.add(Digest.of(hash.toByteArray()));
      }
      return new ConsistencyProof(from, to, path);
    } catch (StatusRuntimeException e) {
      throw new IOException("GetConsistencyProof failed: " + e.getStatus().getCode(), e);
    }
  }

  private static Bytes bytes(ByteString value) {
    return Bytes.wrap(value.toByteArray());
  }
}
