package io.tallystick.master.presence;

import java.util.Locale;

/// Another server of the same id is there, or was until a moment ago. The process must end, or wait
/// until the other one's session has ended.
public final class ServerIdTakenException extends Exception {
  private static final long serialVersionUID = 1;

  private final String id;

  ServerIdTakenException(PresentServer other) {
    super(
        String.format(
            Locale.ROOT, "another server %s is there, at %s", other.id(), other.address()));
    this.id = other.id();
  }

  public String id() {
    return id;
  }
}
