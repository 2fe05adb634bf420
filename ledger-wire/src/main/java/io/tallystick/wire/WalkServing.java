package io.tallystick.wire;

import io.grpc.stub.ServerCallStreamObserver;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LogRange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// One walk, at the server: it goes on as fast as the proxy reads, and ends when that does. It
/// waits for room before it reads, so that what was read is sent at once: the node answers for it
/// as of then.
final class WalkServing {
  private static final int PIECE_BYTES = 256 << 10;

  /// A caller that has read nothing for so long loses its thread.
  private static final long ROOM_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final ServerCallStreamObserver<byte[]> answers;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition room = lock.newCondition();
  private List<WireMessage.Leaf> piece = new ArrayList<>();
  private int pieceBytes;
  private boolean over;

  WalkServing(ServerCallStreamObserver<byte[]> answers) {
    this.answers = answers;
    answers.setOnReadyHandler(this::changed);
    answers.setOnCancelHandler(this::changed);
  }

  private void changed() {
    lock.lock();
    try {
      room.signalAll();
    } finally {
      lock.unlock();
    }
  }

  void run(LedgerNode node, LogRange range) {
    try {
      if (!waited()) {
        return;
      }
      node.readLog(
          range,
          (jsn, leaf, attestation, ops, state, salt, body) -> {
            WireMessage.Leaf each =
                new WireMessage.Leaf(jsn, leaf, attestation, ops, state, salt, body);
            piece.add(each);
            pieceBytes += each.sizeBytes();
            if (pieceBytes < PIECE_BYTES) {
              return true;
            }
            send();
            return waited();
          });
      send();
      end(new WireMessage.WalkEnd());
    } catch (RequestRejectedException e) {
      if (e.code() != RejectionCode.UNAVAILABLE) { // else what was read may be another's to say
        send();
      }
      end(new WireMessage.Refused(Refusal.of(e)));
    } catch (RuntimeException | Error e) {
      if (!over) {
        answers.onError(NodeService.unavailable("the walk failed: " + e).asRuntimeException());
      }
      throw e;
    }
  }

  private void end(WireMessage message) {
    if (over || answers.isCancelled()) {
      return;
    }
    answers.onNext(WireFrames.encode(message));
    answers.onCompleted();
  }

  private void send() {
    if (!piece.isEmpty() && !over && !answers.isCancelled()) {
      answers.onNext(WireFrames.encode(new WireMessage.Leaves(piece)));
      piece = new ArrayList<>();
      pieceBytes = 0;
    }
  }

  /// @return false if the call is over, or its caller reads nothing
  private boolean waited() {
    lock.lock();
    try {
      long left = ROOM_NANOS;
      while (!answers.isReady() && !answers.isCancelled()) {
        if (left <= 0) {
          answers.onError(NodeService.unavailable("nobody reads the walk").asRuntimeException());
          over = true;
          return false;
        }
        left = room.awaitNanos(left);
      }
      return !answers.isCancelled();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      answers.onError(NodeService.unavailable("the server leaves").asRuntimeException());
      over = true;
      return false;
    } finally {
      lock.unlock();
    }
  }
}
