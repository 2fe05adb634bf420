package io.tallystick.client.wire;

import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import java.util.concurrent.CompletableFuture;

/// One AppendRequest on its way. Its bytes never change, so a second attempt is a repeat and not a
/// second journal. Guarded by the pipe's lock.
final class Submission {
  final AppendRequest request;
  final int permits;
  final long deadlineNanos;
  final CompletableFuture<AppendResponse> answer = new CompletableFuture<>();
  int attempts;

  /// Answered with a retryable refusal and waiting for its pause to end; a new stream leaves it
  /// alone.
  boolean paused;

  /// An attempt was sent and its stream broke before the answer.
  boolean outcomeUnknown;

  Submission(AppendRequest request, int permits, long deadlineNanos) {
    this.request = request;
    this.permits = permits;
    this.deadlineNanos = deadlineNanos;
  }

  long id() {
    return request.getId();
  }
}
