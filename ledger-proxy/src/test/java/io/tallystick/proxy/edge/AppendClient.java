package io.tallystick.proxy.edge;

import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.Problem;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// The client's end of one Append stream. Reads answers as they come, or, if slow, only when asked.
final class AppendClient implements ClientResponseObserver<AppendRequest, AppendResponse> {
  private static final long SECONDS_MAX = 20;

  final BlockingQueue<AppendResponse> answers = new LinkedBlockingQueue<>();

  /// Completes when the stream ends well, fails with its status if not.
  final CompletableFuture<Void> end = new CompletableFuture<>();

  private final boolean slow;
  private @Nullable ClientCallStreamObserver<AppendRequest> requests;

  private AppendClient(boolean slow) {
    this.slow = slow;
  }

  static AppendClient open(Channel channel) {
    return open(channel, false);
  }

  static AppendClient open(Channel channel, boolean slow) {
    AppendClient client = new AppendClient(slow);
    JournalServiceGrpc.newStub(channel).append(client);
    return client;
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<AppendRequest> stream) {
    requests = stream;
    if (slow) {
      stream.disableAutoRequestWithInitial(0);
    }
  }

  ClientCallStreamObserver<AppendRequest> requests() {
    if (requests == null) {
      throw new IllegalStateException("the stream is not open");
    }
    return requests;
  }

  void send(AppendRequest request) {
    requests().onNext(request);
  }

  AppendResponse nextAnswer() throws InterruptedException {
    AppendResponse answer = answers.poll(SECONDS_MAX, TimeUnit.SECONDS);
    if (answer == null) {
      throw new AssertionError("no answer within " + SECONDS_MAX + " s");
    }
    return answer;
  }

  void awaitEnd() throws InterruptedException, ExecutionException, TimeoutException {
    end.get(SECONDS_MAX, TimeUnit.SECONDS);
  }

  /// What ended the stream.
  Problem problem() throws Exception {
    StatusRuntimeException failure =
        (StatusRuntimeException)
            end.handle((_, thrown) -> thrown).get(SECONDS_MAX, TimeUnit.SECONDS);
    return TestFront.problem(failure);
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
}
