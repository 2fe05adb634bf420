package io.tallystick.wire;

/// A call for a shard that this server does not own, or not in that epoch.
final class NotMineException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient Refusal refusal;

  NotMineException(Refusal refusal) {
    super(refusal.detail(), null, false, false);
    this.refusal = refusal;
  }

  Refusal refusal() {
    return refusal;
  }
}
