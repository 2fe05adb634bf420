package io.tallystick.server.sequencer;

import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Founding;

/// A verified submission or founding that is to be committed, and the way to answer it.
public sealed interface Input {
  /// Bytes it will add to a frame, roughly; for admission and batching.
  long sizeBytes();

  /// The sequencer's answer when it says no.
  void refuse(RequestRejectedException refusal);

  /// The shard stopped: whether it is durable is not known.
  void fail(Throwable cause);

  /// One submission for an existing ledger.
  non-sealed interface Append extends Input {
    VerifiedSubmission submission();
  }

  /// A ledger to be founded.
  non-sealed interface Found extends Input {
    Founding founding();
  }
}
