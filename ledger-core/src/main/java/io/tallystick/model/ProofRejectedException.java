package io.tallystick.model;

/// Evidence that does not prove what it was shown for. Never retried, never swallowed.
public class ProofRejectedException extends Exception {
  private static final long serialVersionUID = 1;

  /// Why evidence was rejected; stable names, used in vectors and audit reports.
  public enum Reason {
    MALFORMED,
    INDEX_OUT_OF_RANGE,
    SIZE_OUT_OF_RANGE,
    WRONG_PATH_LENGTH,
    ROOT_MISMATCH,
    LEAF_MISMATCH,
    WRONG_TYPE,
    WRONG_KEY,
    WRONG_LEDGER,
    WRONG_ORIGIN,
    WRONG_SIZE,
    WRONG_JSN,
    WRONG_CLUE,
    BAD_SIGNATURE,
    COMMITMENT_MISMATCH,
    NOT_A_MEMBER,
    BROKEN_CHAIN,
    FORK,
    ROLLBACK,
    MISSING
  }

  private final Reason reason;

  public ProofRejectedException(Reason reason, String detail) {
    super(reason + ": " + detail);
    this.reason = reason;
  }

  public ProofRejectedException(Reason reason, String detail, Throwable cause) {
    super(reason + ": " + detail, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }

  /// The message without its reason.
  public String detail() {
    return String.valueOf(getMessage()).substring(reason.name().length() + 2);
  }
}
