package io.tallystick.proxy.edge;

import io.grpc.stub.ServerCallStreamObserver;
import io.tallystick.api.v1.LogChunk;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.proxy.read.LogWalk;
import java.util.concurrent.Executor;

/// One ReadLog stream: a chunk is read when the client has room for it, so a slow reader costs one
/// chunk of memory and no thread.
final class ReadLogCall implements OpenCalls.Call {
  private final ServerCallStreamObserver<LogChunk> chunks;
  private final LogWalk walk;
  private final Calls calls;
  private final OpenCalls openCalls;
  private final SerialTask task;

  private boolean ended;
  private volatile boolean draining;

  ReadLogCall(
      ServerCallStreamObserver<LogChunk> chunks,
      LogWalk walk,
      Calls calls,
      OpenCalls openCalls,
      Executor executor) {
    this.chunks = chunks;
    this.walk = walk;
    this.calls = calls;
    this.openCalls = openCalls;
    this.task = new SerialTask(executor, this::writeChunk);
  }

  /// Before the service method returns.
  void start() {
    chunks.setOnReadyHandler(task::wake);
    chunks.setOnCancelHandler(task::wake);
    openCalls.add(this);
    task.wake();
  }

  /// By the task only; one chunk a run, so that calls share the threads.
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
        task.wake();
      }
    } catch (RequestRejectedException | RuntimeException | Error e) {
      end();
      chunks.onError(calls.status(e));
    }
  }

  private LogChunk nextChunk() throws RequestRejectedException {
    LogWalk.Part part = walk.next();
    if (part.end().isPresent()) {
      end();
    }
    return ToProto.chunk(part);
  }

  private void end() {
    ended = true;
    openCalls.remove(this);
  }

  @Override
  public void drain() {
    draining = true;
    task.wake();
  }
}
