package io.tallystick.master.witness;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// A witness that gave no usable answer this time.
public final class WitnessFailedException extends Exception {
  private static final long serialVersionUID = 1;

  /// Stable names, used in health and metrics.
  public enum Reason {
    /// No connection, or it broke.
    UNREACHABLE,
    /// No whole answer within the timeout.
    SLOW,
    /// Status 404: the witness does not know the ledger.
    UNKNOWN_LOG,
    /// Status 403: the witness has another key for the ledger.
    WRONG_KEY,
    /// Another status than C2SP tlog-witness has.
    WRONG_STATUS,
    /// A body that is not what its status says.
    WRONG_CONTENT,
    /// An answer with more bytes than any good one.
    TOO_LONG,
    /// No cosignature by the witness' key, or one that does not hold.
    COSIGNATURE_REFUSED,
    /// It names another size each time, or one that was reached meanwhile.
    MOVING
  }

  private final Reason reason;

  WitnessFailedException(Reason reason, String witness, String detail) {
    super(witness + ": " + reason + ": " + detail);
    this.reason = reason;
  }

  WitnessFailedException(Reason reason, String witness, Throwable cause) {
    super(witness + ": " + reason + ": " + cause, cause);
    this.reason = reason;
  }

  /// Every code that a watch is told of.
  public static List<String> codes() {
    return Arrays.stream(Reason.values()).map(WitnessFailedException::lower).toList();
  }

  private static String lower(Reason reason) {
    return reason.name().toLowerCase(Locale.ROOT);
  }

  public Reason reason() {
    return reason;
  }

  /// The reason in lower case: `slow`, `unknown_log`.
  public String code() {
    return lower(reason);
  }
}
