package io.tallystick.master.anchor;

import io.tallystick.model.RequestRejectedException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The failure of sources to give a time.
public final class NoTimeException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient List<TimeFailure> failures;
  private final @Nullable RequestRejectedException refusal;

  /// @param failures one of each that was asked, in this order
  public NoTimeException(List<TimeFailure> failures) {
    super(failures.stream().map(TimeFailure::toString).collect(Collectors.joining("; ")));
    this.failures = List.copyOf(failures);
    this.refusal = null;
  }

  private NoTimeException(RequestRejectedException refusal) {
    super(refusal.getMessage(), refusal);
    this.failures = List.of();
    this.refusal = refusal;
  }

  /// Nobody was asked: whoever would have asked refused that.
  static NoTimeException of(RequestRejectedException refusal) {
    return new NoTimeException(refusal);
  }

  /// What whoever asks is to be told; empty if sources failed.
  Optional<RequestRejectedException> refusal() {
    return Optional.ofNullable(refusal);
  }

  public List<TimeFailure> failures() {
    return failures;
  }
}
