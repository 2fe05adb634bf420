package io.tallystick.proxy.execute;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendWaiter;

/// A submission as it came in, and who waits for it.
public interface Arrival {
  /// As it came over the wire; for limits.
  int sizeBytes();

  /// Read out of its message, unverified. Called once, on a thread of the execute phase.
  Submission submission() throws RequestRejectedException;

  AppendWaiter waiter();
}
