package io.tallystick.master.identity;

import java.util.List;

/// A key pair is not listed, or not made the present one.
public final class KeysRefusedException extends Exception {
  private static final long serialVersionUID = 1;

  /// Why not.
  public enum Reason {
    /// Servers that are there do not hold it.
    NOT_HELD,
    /// No server is there, so that nobody is known to hold it.
    NO_SERVER,
    /// It is not listed.
    NOT_LISTED,
    /// As many are listed as can be.
    TOO_MANY
  }

  private final Reason reason;
  private final List<String> servers;

  KeysRefusedException(Reason reason, List<String> servers, String message) {
    super(message);
    this.reason = reason;
    this.servers = List.copyOf(servers);
  }

  public Reason reason() {
    return reason;
  }

  /// Those that do not hold it.
  public List<String> servers() {
    return servers;
  }
}
