package io.tallystick.master.anchor;

import java.util.List;
import java.util.stream.Collectors;

/// The failure of sources to give a time.
public final class NoTimeException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient List<TimeFailure> failures;

  /// @param failures one of each that was asked, in this order
  public NoTimeException(List<TimeFailure> failures) {
    super(failures.stream().map(TimeFailure::toString).collect(Collectors.joining("; ")));
    this.failures = List.copyOf(failures);
  }

  public List<TimeFailure> failures() {
    return failures;
  }
}
