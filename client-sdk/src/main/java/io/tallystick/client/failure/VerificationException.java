package io.tallystick.client.failure;

import io.tallystick.head.SignedHead;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.nio.file.Path;
import java.util.Optional;

/// The service's answer does not prove what it should: an alarm, never a passing fault, and never
/// retried. When it has signed two heads that do not go together, both are here as signed
/// statements that anyone can check with the keys of the ledger, and stand in a file.
public final class VerificationException extends TallyException {
  private static final long serialVersionUID = 1;

  private final Reason reason;
  private final transient Optional<Contradiction> contradiction;

  /// Two signed heads of one strand that do not go together.
  ///
  /// @param trusted believed before
  /// @param offered refused
  /// @param evidenceFile where both were written; empty if that failed
  public record Contradiction(
      SignedHead trusted, SignedHead offered, Optional<Path> evidenceFile) {}

  public VerificationException(ProofRejectedException cause) {
    super(String.valueOf(cause.getMessage()), cause);
    this.reason = cause.reason();
    this.contradiction = Optional.empty();
  }

  public VerificationException(ProofRejectedException cause, Contradiction contradiction) {
    super(
        cause.getMessage()
            + contradiction.evidenceFile().map(file -> "; evidence in " + file).orElse(""),
        cause);
    this.reason = cause.reason();
    this.contradiction = Optional.of(contradiction);
  }

  public Reason reason() {
    return reason;
  }

  /// Present when two signed heads were compared: always for `FORK` and `ROLLBACK`.
  public Optional<Contradiction> contradiction() {
    return contradiction;
  }
}
