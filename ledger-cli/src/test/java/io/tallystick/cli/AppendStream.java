package io.tallystick.cli;

import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.JournalServiceGrpc;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// One Append stream without the SDK.
final class AppendStream implements StreamObserver<AppendResponse>, AutoCloseable {
  private static final long SECONDS_MAX = 120;

  /// Completes when the stream ends well, fails with its status if not.
  final CompletableFuture<Void> end = new CompletableFuture<>();

  private final BlockingQueue<AppendResponse> answers = new LinkedBlockingQueue<>();
  private final StreamObserver<AppendRequest> requests;

  AppendStream(Channel channel) {
    this(JournalServiceGrpc.newStub(channel));
  }

  AppendStream(JournalServiceGrpc.JournalServiceStub stub) {
    requests = stub.append(this);
  }

  void send(AppendRequest request) {
    requests.onNext(request);
  }

  AppendResponse nextAnswer() throws InterruptedException {
    AppendResponse answer = answers.poll(SECONDS_MAX, TimeUnit.SECONDS);
    if (answer == null) {
      throw new AssertionError("no answer within " + SECONDS_MAX + " s; stream: " + end);
    }
    return answer;
  }

  @Override
  public void onNext(AppendResponse answer) {
    answers.add(answer);
  }

  @Override
  public void onError(Throwable failure) {
    end.completeExceptionally(failure);
  }

  @Override
  public void onCompleted() {
    end.complete(null);
  }

  /// As one whose connection is gone.
  void cancel() {
    requests.onError(Status.CANCELLED.asRuntimeException());
  }

  @Override
  public void close() {
    if (!end.isDone()) {
      requests.onCompleted();
    }
  }
}
