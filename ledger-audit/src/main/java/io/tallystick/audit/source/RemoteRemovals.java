package io.tallystick.audit.source;

import com.google.protobuf.ByteString;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.tallystick.api.ProblemTrailer;
import io.tallystick.api.v1.GetConsistencyProofRequest;
import io.tallystick.api.v1.GetPseudoGenesisRequest;
import io.tallystick.api.v1.GetSnapshotCluesRequest;
import io.tallystick.api.v1.GetSnapshotCluesResponse;
import io.tallystick.api.v1.GetSnapshotStateRequest;
import io.tallystick.api.v1.GetSnapshotStateResponse;
import io.tallystick.api.v1.GetSnapshotWindowRequest;
import io.tallystick.api.v1.GetTileRequest;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.Problem;
import io.tallystick.api.v1.RemovalServiceGrpc;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.StrandId;
import io.tallystick.removal.Snapshot;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Asks a service about a log whose beginning was purged.
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
      throw failed("GetPseudoGenesis", e);
    }
  }

  /// Asked for part by part.
  Optional<InputStream> clues() throws IOException {
    return file(
        "GetSnapshotClues",
        (firstKept, offset) -> {
          GetSnapshotCluesResponse answer =
              stub()
                  .getSnapshotClues(
                      GetSnapshotCluesRequest.newBuilder()
                          .setLedgerId(ByteString.copyFrom(strand.ledger().digest().toArray()))
                          .setStrand(strand.strand())
                          .setFirstKept(firstKept)
                          .setOffset(offset)
                          .build());
          return new Part(answer.getFirstKept(), answer.getFileBytes(), answer.getPart());
        });
  }

  /// Asked for part by part.
  Optional<InputStream> state() throws IOException {
    return file(
        "GetSnapshotState",
        (firstKept, offset) -> {
          GetSnapshotStateResponse answer =
              stub()
                  .getSnapshotState(
                      GetSnapshotStateRequest.newBuilder()
                          .setLedgerId(ByteString.copyFrom(strand.ledger().digest().toArray()))
                          .setStrand(strand.strand())
                          .setFirstKept(firstKept)
                          .setOffset(offset)
                          .build());
          return new Part(answer.getFirstKept(), answer.getFileBytes(), answer.getPart());
        });
  }

  private record Part(long firstKept, long fileBytes, ByteString bytes) {}

  /// Asks for a part of a file.
  private interface Asking {
    /// @param firstKept of the first answer; 0 at first
    Part part(long firstKept, long offset);
  }

  private static Optional<InputStream> file(String call, Asking asking) throws IOException {
    try {
      return Optional.of(new Parts(call, asking, asking.part(0, 0)));
    } catch (StatusRuntimeException e) {
      if (nothingPurged(e)) {
        return Optional.empty();
      }
      throw failed(call, e);
    }
  }

  private static IOException failed(String call, StatusRuntimeException failure) {
    return new IOException(call + " failed: " + failure.getStatus().getCode(), failure);
  }

  /// The parts of a file, one after another.
  private static final class Parts extends InputStream {
    private final String call;
    private final Asking asking;
    private final long firstKept;
    private final long fileBytes;
    private InputStream part;
    private long next;

    Parts(String call, Asking asking, Part first) {
      this.call = call;
      this.asking = asking;
      this.firstKept = first.firstKept;
      this.fileBytes = first.fileBytes;
      this.part = first.bytes.newInput();
      this.next = first.bytes.size();
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int read = part.read(into, offset, length);
      while (read < 0 && next < fileBytes) {
        try {
          ByteString bytes = asking.part(firstKept, next).bytes;
          if (bytes.isEmpty()) {
            return -1;
          }
          part = bytes.newInput();
          next += bytes.size();
        } catch (StatusRuntimeException e) {
          throw failed(call, e);
        }
        read = part.read(into, offset, length);
      }
      return read;
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
      throw failed("GetConsistencyProof", e);
    }
  }

  /// The hashes of the first `width` leaves of a bundle, one behind the other.
  Bytes leafHashes(long index, int width) throws IOException, LogFormatException {
    try {
      Bytes hashes =
          bytes(
              JournalServiceGrpc.newBlockingStub(channel)
                  .withDeadlineAfter(WAIT_SECONDS, TimeUnit.SECONDS)
                  .getTile(
                      GetTileRequest.newBuilder()
                          .setLedgerId(ByteString.copyFrom(strand.ledger().digest().toArray()))
                          .setStrand(strand.strand())
                          .setIndex(index)
                          .setWidth(width)
                          .build())
                  .getHashes());
      if (hashes.size() != width * Digest.BYTES) {
        throw LogFormatException.malformed(
            String.format(
                Locale.ROOT, "tile %d of %d bytes, want %d hashes", index, hashes.size(), width));
      }
      return hashes;
    } catch (StatusRuntimeException e) {
      throw failed("GetTile", e);
    }
  }

  private static Bytes bytes(ByteString value) {
    return Bytes.wrap(value.toByteArray());
  }
}
