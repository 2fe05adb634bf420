package io.tallystick.master.anchor;

import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.StampedHead;
import io.tallystick.note.Checkpoint;

/// A source of times: time authorities, or a T-Ledger. Its word on when a head existed becomes a
/// time journal. Thread-safe.
public interface TimeSource {
  /// Whether heads of this ledger are shown to it.
  boolean takes(LedgerId ledger);

  /// Has a head stamped and journalled; returns when that is durable.
  ///
  /// @param head the newest one; one newer still may be stamped in its stead
  /// @throws NoTimeException if no time came
  /// @throws RequestRejectedException if the node did not take the time journal: `OUT_OF_RANGE` if
  ///   another one came first
  StampedHead stamp(StrandId strand, Checkpoint head)
      throws NoTimeException, RequestRejectedException, InterruptedException;
}
