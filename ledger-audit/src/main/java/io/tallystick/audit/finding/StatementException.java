package io.tallystick.audit.finding;

/// An auditor's statement that cannot be gone on from. Nothing was audited; an audit from the
/// beginning still can be.
public final class StatementException extends Exception {
  private static final long serialVersionUID = 1;

  private final Reason reason;

  /// Why; stable names.
  public enum Reason {
    /// Not in its format, or not whole.
    MALFORMED,
    /// In a later version of its format.
    NEWER_VERSION,
    /// Signed by another key than this auditor's.
    WRONG_KEY,
    /// Altered: the signature does not verify.
    BAD_SIGNATURE,
    /// The statement is of another ledger or strand.
    WRONG_LEDGER,
    /// The statement is that of an audit which checked something else.
    OTHER_OPTIONS,
    /// A head that is trusted now lies before it and was not compared then.
    HEAD_NOT_COMPARED,
    /// The file of clues that belongs to it is not there.
    CLUES_MISSING,
    /// The file of clues does not give the clue root of the seal it was made behind.
    CLUES_DAMAGED,
    /// The file of the state that belongs to it is not there.
    STATE_MISSING,
    /// The file of the state is not the one it was made beside.
    STATE_DAMAGED,
    /// The file of what removals can name is not there.
    REMOVALS_MISSING,
    /// The file of what removals can name is not the one it was made beside.
    REMOVALS_DAMAGED,
    /// The log was purged beyond it since.
    PURGED,
    /// The log it was made of began with a purge that was recalled since.
    PURGE_RECALLED
  }

  public StatementException(Reason reason, String detail) {
    super(detail);
    this.reason = reason;
  }

  public StatementException(Reason reason, String detail, Throwable cause) {
    super(detail, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
