package io.tallystick.server.sim;

import io.tallystick.journal.Kind;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
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

  /// Of the block whose state was read for its preconditions; −1 if none was.
  long readHeight = -1;

  /// Of the sealed log when it was read what a removal names; −1 if that was not read.
  long readSize = -1;

  /// Where the purge before ended when the snapshot was made that was read for a purge.
  long readFrom = -1;

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

  /// Whether the shard may have put it back, to read again what its preconditions depend on: it was
  /// not told that it is committed, and not refused for another reason.
  boolean mayBePutBack() {
    boolean goesOn =
        failure == null
            || (failure instanceof RequestRejectedException refusal
                && (refusal.code() == RejectionCode.RATE_LIMITED
                    || refusal.code() == RejectionCode.UNAVAILABLE));
    return sent != null && sent.isConditional() && committed == null && goesOn;
  }

  /// Whether the shard decided it, or put it back, without having read what it removes.
  boolean isUnreadRemoval() {
    return sent != null
        && readSize < 0
        && (sent.kind() == Kind.OCCULT || sent.kind() == Kind.PURGE);
  }
}
