package io.tallystick.proxy.execute;

import io.tallystick.journal.SignedRequest;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendWaiter;

/// A submission as it came in, and who waits for it.
public interface Arrival {
  /// As it came over the wire; for limits.
  int sizeBytes();

  /// Read out of its message, unverified. Called once, on a thread of the execute phase.
  UnverifiedSubmission submission() throws RequestRejectedException;

  AppendWaiter waiter();

  /// One that was read already.
  static Arrival of(UnverifiedSubmission submission, AppendWaiter waiter) {
    return new Read(submission, waiter);
  }

  /// A submission out of its message.
  record Read(UnverifiedSubmission submission, AppendWaiter waiter) implements Arrival {
    @Override
    public int sizeBytes() {
      int bytes = submission.attestation().size();
      for (SignedRequest request : submission.requests()) {
        bytes += request.sizeBytes();
      }
      return bytes;
    }
  }
}
