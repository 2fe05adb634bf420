package io.tallystick.client.wire;

import io.tallystick.api.v1.AppendRequest;
import java.time.Duration;

/// One AppendRequest on its way. Its bytes never change, so a second attempt is a repeat and not a
/// second journal. Guarded by the pipe's lock.
final class Submission {
  final AppendRequest request;
  final int permits;

  /// No repeat begins later.
  final long repeatUntilNanos;

  /// It is given up then.
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

  Submission(
      AppendRequest request,
      int permits,
      long repeatUntilNanos,
      long deadlineNanos,
      AppendReply reply) {
    this.request = request;
    this.permits = permits;
    this.repeatUntilNanos = repeatUntilNanos;
    this.deadlineNanos = deadlineNanos;
    this.reply = reply;
  }

  /// Whether a repeat after this pause comes too late.
  boolean isLate(Duration pause) {
    return System.nanoTime() + pause.toNanos() - repeatUntilNanos > 0;
  }

  long id() {
    return request.getId();
  }
}
