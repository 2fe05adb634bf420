package io.tallystick.server.host;

/// A data directory does not become a shard, and why. Nothing of it is visible in the cluster.
public final class ImportRefusedException extends Exception {
  private static final long serialVersionUID = 1;

  public ImportRefusedException(String message) {
    super(message);
  }

  public ImportRefusedException(String message, Throwable cause) {
    super(message, cause);
  }
}
