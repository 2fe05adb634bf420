package io.tallystick.master.anchor;

import java.util.List;
import java.util.stream.Collectors;

/// No authority gave a usable token.
public final class NotStampedException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient List<AuthorityFailedException> failures;

  /// @param failures one of each authority, in the order they were asked
  NotStampedException(List<AuthorityFailedException> failures) {
    super(failures.stream().map(Throwable::getMessage).collect(Collectors.joining("; ")));
    this.failures = List.copyOf(failures);
    failures.forEach(this::addSuppressed);
  }

  public List<AuthorityFailedException> failures() {
    return failures;
  }
}
