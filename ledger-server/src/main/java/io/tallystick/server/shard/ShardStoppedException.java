package io.tallystick.server.shard;

/// The shard stopped while a submission was under way: whether it is durable is not known. The same
/// submission sent again finds out.
public final class ShardStoppedException extends Exception {
  private static final long serialVersionUID = 1;

  public ShardStoppedException(String message, Throwable cause) {
    super(message, cause);
  }
}
