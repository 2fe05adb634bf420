package io.tallystick.client.wire;

import io.tallystick.api.v1.AppendRequest;

/// One AppendRequest on its way. Its bytes never change, so a second attempt is a repeat and not a
/// second journal. Guarded by the pipe's lock.
final class Submission {
  final AppendRequest request;
  final int permits;
  final long deadlineNanos;
  final AppendReply reply;
  int attempts;

  /// Answered with a retryable refusal and waiting for its pause to end; a new stream leaves it
  /// alone.
  boolean paused;

  /// Waits in the outbox, to be packed into a message.
  boolean packing;

  /// An attempt was sent and its stream broke before the answer.
  boolean outcomeUnknown;

  Submission(AppendRequest request, int permits, long deadlineNanos, AppendReply reply) {
    this.request = request;
    this.permits = permits;
    this.deadlineNanos = deadlineNanos;
    this.reply = reply;
  }

  long id() {
    return request.getId();
  }
}
