package io.tallystick.server.removal;

import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.saved.PendingErasureRow;

/// A removal that is not carried out yet, how far it is by the newest note, and the step that comes
/// next. A step lost in a crash is taken again: which one follows from the note.
final class ErasureTask {
  /// What a turn of the {@link Eraser} does. {@link #DUE}, {@link #SEGMENTS} and {@link #DROP} are
  /// those of purges only.
  enum Step {
    /// Notes that the erasing begins, if no recall can come any more.
    DUE,

    /// Looks for the segments in which nothing is left, some ledgers a turn.
    SEGMENTS,

    /// Drops those segments.
    DROP,

    /// Plans some frames and notes the plan.
    PLAN,

    /// Erases the frames that are planned, and notes that.
    ERASE,

    /// Erases what lies beside the stream.
    REST,

    /// Notes that all is erased.
    DONE
  }

  private final Bytes key;
  private final LedgerId ledger;
  private final long jsn;
  private PendingErasureRow row;
  private Step step;
  private long firstNeeded;

  private ErasureTask(Bytes key, LedgerId ledger, long jsn, PendingErasureRow row) {
    this.key = key;
    this.ledger = ledger;
    this.jsn = jsn;
    this.row = row;
    nextInRow();
  }

  /// @param key of the noted row
  /// @param row the noted one; that of a savepoint if there is none
  static ErasureTask of(Bytes key, Bytes row) throws MalformedException {
    return new ErasureTask(
        key,
        PendingErasureRow.ledgerOf(key),
        PendingErasureRow.jsnOf(key),
        PendingErasureRow.decode(row));
  }

  /// The key of the noted row.
  Bytes key() {
    return key;
  }

  LedgerId ledger() {
    return ledger;
  }

  StrandId strand() {
    return new StrandId(ledger, 0);
  }

  long jsn() {
    return jsn;
  }

  PendingErasureRow row() {
    return row;
  }

  Step step() {
    return step;
  }

  /// Location of the first frame that is needed, once that is known.
  long firstNeeded() {
    return firstNeeded;
  }

  void next(Step following) {
    step = following;
  }

  /// The note is durable.
  void noted(PendingErasureRow changed) {
    row = changed;
    nextInRow();
  }

  /// The step that follows from the row comes next.
  void nextInRow() {
    if (isHalfErased()) {
      step = Step.ERASE;
    } else {
      step = row.isLast() ? Step.REST : Step.PLAN;
    }
  }

  /// It is a purge, of which no step was taken since its row was read.
  ///
  /// @param dropped whether the segments in which nothing is left are dropped
  void beginPurge(boolean dropped) {
    if (!row.hasBegun()) {
      step = Step.DUE;
    } else if (!dropped) {
      step = Step.SEGMENTS;
    }
  }

  /// @param needed location of the first frame that is needed
  void dropBefore(long needed) {
    firstNeeded = needed;
    step = Step.DROP;
  }

  /// Whether frames of it may be erased in part.
  boolean isHalfErased() {
    return !row.planned().isEmpty();
  }
}
