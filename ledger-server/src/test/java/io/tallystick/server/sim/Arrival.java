package io.tallystick.server.sim;

import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.AppendTicket.Receipted;
import org.jspecify.annotations.Nullable;

/// A message that reached the shard, and what became of it there. Exactly one of `sent` and
/// `founding` is set.
final class Arrival {
  final SimClient from;
  final @Nullable Sent sent;
  final @Nullable SimLedger founding;

  /// What the model says must become of it; null until a turn took it.
  @Nullable Verdict verdict;

  /// Whether the shard gave its last word.
  boolean answered;

  /// How the shard answered; nothing yet if both are null.
  @Nullable Receipted receipted;

  @Nullable Throwable failure;
  @Nullable Boolean existed;

  /// Said when durable; null before, and for a founding.
  @Nullable Committed committed;

  /// Whose receipt it shares; null if it has one of its own.
  @Nullable SharedReceipt shared;

  Arrival(SimClient from, @Nullable Sent sent, @Nullable SimLedger founding) {
    this.from = from;
    this.sent = sent;
    this.founding = founding;
  }
}
