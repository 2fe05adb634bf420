package io.tallystick.wire;

import io.grpc.stub.ServerCallStreamObserver;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LogRange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// One walk, at the server: it goes on as fast as the proxy reads, and ends when that does.
final class WalkServing {
  private static final int PIECE_BYTES = 256 << 10;

  private final ServerCallStreamObserver<byte[]> answers;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition room = lock.newCondition();
  private List<WireMessage.Leaf> piece = new ArrayList<>();
  private int pieceBytes;

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
      node.readLog(
          range,
          (jsn, leaf, attestation, ops, state, salt, body) -> {
            WireMessage.Leaf each =
                new WireMessage.Leaf(jsn, leaf, attestation, ops, state, salt, body);
            piece.add(each);
            pieceBytes += each.sizeBytes();
            return pieceBytes < PIECE_BYTES || sent();
          });
      if (sent()) {
        end(new WireMessage.WalkEnd());
      }
    } catch (RequestRejectedException e) {
      if (sent()) {
        end(new WireMessage.Refused(Refusal.of(e)));
      }
    } catch (RuntimeException | Error e) {
      answers.onError(NodeService.unavailable("the walk failed: " + e).asRuntimeException());
      throw e;
    }
  }

  private void end(WireMessage message) {
    answers.onNext(WireFrames.encode(message));
    answers.onCompleted();
  }

  /// @return whether more is wanted
  private boolean sent() {
    if (!waited()) {
      return false;
    }
    if (!piece.isEmpty()) {
      answers.onNext(WireFrames.encode(new WireMessage.Leaves(piece)));
      piece = new ArrayList<>();
      pieceBytes = 0;
    }
    return true;
  }

  /// @return false if the call is over
  private boolean waited() {
    lock.lock();
    try {
      while (!answers.isReady() && !answers.isCancelled()) {
        room.await();
      }
      return !answers.isCancelled();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }
}
