package io.tallystick.proxy.edge;

import io.grpc.stub.ServerCallStreamObserver;
import io.tallystick.api.v1.LogChunk;
import io.tallystick.api.v1.ReadLogRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.BlockView;
import io.tallystick.node.LedgerNode;
import io.tallystick.proxy.access.ReadGrant;
import io.tallystick.proxy.read.LogPage;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// One ReadLog stream: a chunk is read when the client has room for it, so a slow reader costs one
/// chunk of memory and no thread.
final class ReadLogCall implements OpenCalls.Call {
  private final ServerCallStreamObserver<LogChunk> chunks;
  private final ReadGrant grant;
  private final LedgerNode node;
  private final StrandId strand;
  private final boolean withBodies;
  private final BlockView head;
  private final Calls calls;
  private final OpenCalls openCalls;
  private final Turns turns;

  private long next;
  private @Nullable Bytes lastAttestation;
  private boolean ended;
  private volatile boolean draining;

  ReadLogCall(
      ServerCallStreamObserver<LogChunk> chunks,
      ReadGrant grant,
      ReadLogRequest request,
      Calls calls,
      OpenCalls openCalls,
      Executor executor)
      throws RequestRejectedException {
    this.chunks = chunks;
    this.grant = grant;
    this.node = grant.node();
    this.strand = FromProto.strand(request.getLedgerId(), request.getStrand());
    this.withBodies = !request.getWithoutBodies();
    this.calls = calls;
    this.openCalls = openCalls;
    this.head = headOf(node, strand, FromProto.size("size", request.getSize()));
    this.next = FromProto.position("from", request.getFrom());
    if (next > head.size()) {
      throw new RequestRejectedException(
              RejectionCode.OUT_OF_RANGE, "from " + next + " is beyond size " + head.size())
          .withLimit(head.size());
    }
    this.turns = new Turns(executor, this::writeChunk);
  }

  private static BlockView headOf(LedgerNode node, StrandId strand, long size)
      throws RequestRejectedException {
    BlockView newest = node.newestBlock(strand);
    if (size == 0) {
      return newest;
    }
    if (size > newest.size()) {
      throw new RequestRejectedException(
              RejectionCode.FUTURE_SIZE,
              "size " + size + " is not signed yet, the newest is " + newest.size())
          .withLimit(newest.size());
    }
    BlockView block = node.blockOf(strand, size - 1);
    if (block.size() != size) {
      throw new RequestRejectedException(
          RejectionCode.OUT_OF_RANGE,
          "no head was signed at size " + size + ", the next one is at " + block.size());
    }
    return block;
  }

  /// Before the service method returns.
  void start() {
    chunks.setOnReadyHandler(turns::wake);
    chunks.setOnCancelHandler(turns::wake);
    openCalls.add(this);
    turns.wake();
  }

  /// In turns only; one chunk a turn, so that calls share the threads.
  private void writeChunk() {
    if (ended) {
      return;
    }
    if (chunks.isCancelled()) {
      end();
    } else if (draining) {
      end();
      chunks.onError(Calls.shuttingDown());
    } else if (chunks.isReady()) {
      readChunk();
    }
  }

  private void readChunk() {
    try {
      LogChunk chunk = nextChunk();
      chunks.onNext(chunk);
      if (ended) {
        chunks.onCompleted();
      } else {
        turns.wake();
      }
    } catch (RequestRejectedException | RuntimeException | Error e) {
      end();
      chunks.onError(calls.status(e));
    }
  }

  private LogChunk nextChunk() throws RequestRejectedException {
    grant.recheck();
    LogChunk.Builder chunk = LogChunk.newBuilder();
    if (next < head.size()) {
      List<LogPage.Item> items =
          LogPage.read(node, strand, next, head.size(), withBodies, Integer.MAX_VALUE);
      if (items.isEmpty()) {
        throw new AssertionError("no leaf at " + next + " of " + head.size());
      }
      items.forEach(item -> chunk.addEntries(ToProto.logEntry(attestedOnce(item))));
      next = items.getLast().jsn() + 1;
    }
    if (next == head.size()) {
      end();
      chunk.setHeadReceipt(ToProto.bytes(head.headReceipt()));
      byte[] checkpoint = node.checkpoint(strand);
      if (signedSize(checkpoint) == head.size()) {
        chunk.setCheckpoint(ToProto.bytes(checkpoint));
      }
    }
    return chunk.build();
  }

  /// A page that starts inside a batch brings the batch's attestation again; it was sent already.
  private LogPage.Item attestedOnce(LogPage.Item item) {
    if (item.attestation() == null) {
      return item;
    }
    if (lastAttestation != null && item.attestation().equals(lastAttestation)) {
      return new LogPage.Item(
          item.jsn(), item.leaf(), null, item.bodyState(), item.salt(), item.body());
    }
    lastAttestation = item.attestation();
    return item;
  }

  /// The second line of a C2SP checkpoint.
  private static long signedSize(byte[] checkpoint) {
    String[] lines = new String(checkpoint, StandardCharsets.UTF_8).split("\n", 3);
    return Long.parseLong(lines[1]);
  }

  private void end() {
    ended = true;
    openCalls.remove(this);
  }

  @Override
  public void drain() {
    draining = true;
    turns.wake();
  }
}
