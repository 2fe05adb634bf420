package io.tallystick.server.sim;

import io.tallystick.journal.Kind;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.storage.disk.DiskFullException;
import java.io.IOException;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// A message that reached the shard, and what became of it there. Exactly one of `sent`, `founding`
/// and `note` is set; none if it is a note of the shard itself, of its eraser or of a snapshot.
final class Arrival {
  private static final SimClient NOBODY = new SimClient(new SplittableRandom(0), false);

  final SimClient from;
  final @Nullable Sent sent;
  final @Nullable SimLedger founding;
  final @Nullable NoteAsk note;

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
  @Nullable Object noted;

  /// Of the shard, when it came.
  int opening;

  /// Said when durable; null before, and for a founding.
  @Nullable Committed committed;

  /// Whose receipt it shares; null if it has one of its own.
  @Nullable SharedReceipt shared;

  private Arrival(
      SimClient from, @Nullable Sent sent, @Nullable SimLedger founding, @Nullable NoteAsk note) {
    this.from = from;
    this.sent = sent;
    this.founding = founding;
    this.note = note;
  }

  static Arrival of(SimClient from, Sent sent) {
    return new Arrival(from, sent, null, null);
  }

  static Arrival of(SimClient from, SimLedger founding) {
    return new Arrival(from, null, founding, null);
  }

  static Arrival ofShard() {
    return new Arrival(NOBODY, null, null, null);
  }

  static Arrival of(SimClient from, NoteAsk note) {
    return new Arrival(from, null, null, note);
  }

  /// The same message, which the network may deliver twice.
  Arrival delivered() {
    return new Arrival(from, sent, founding, note);
  }

  /// Whether it was refused, and not decided, because appends stop when so little is free.
  boolean isRefusedForSpace() {
    return isRefusedFor(RejectionCode.STORAGE_FULL) && !isUndone();
  }

  /// Whether it was decided, and nothing of its turn kept, because there was no room for it.
  boolean isUndone() {
    return isRefusedFor(RejectionCode.STORAGE_FULL)
        && Objects.requireNonNull(failure).getCause() instanceof DiskFullException;
  }

  boolean isShards() {
    return sent == null && founding == null && note == null;
  }

  /// Whether it is taken on a full disk, too.
  boolean makesRoom() {
    return isShards() || (note != null && note.makesRoom());
  }

  private boolean isRefusedFor(RejectionCode code) {
    return failure instanceof RequestRejectedException refusal && refusal.code() == code;
  }

  /// Whether a note was refused because no row could be read.
  boolean isUnreadNote() {
    return note != null
        && isRefusedFor(RejectionCode.UNAVAILABLE)
        && Objects.requireNonNull(failure).getCause() instanceof IOException;
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
