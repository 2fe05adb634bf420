package io.tallystick.master.identity;

import java.util.Locale;

/// A server must not claim a shard, or must not serve the one it has claimed. The message is one
/// line for its operator.
public final class ClaimRefusedException extends Exception {
  private static final long serialVersionUID = 1;

  /// Which check refuses.
  public enum Check {
    /// It lacks a key pair that is listed.
    KEYS,
    /// Its software does not know a format that the cluster writes.
    FORMATS,
    /// Its software is older than what wrote the shard's states.
    STATE_FORMAT,
    /// Its clock is wrong.
    CLOCK,
    /// It remembers more of the shard than the cluster has.
    OWN_RECORD,
    /// Its memory has no room for one more shard.
    SHARE
  }

  /// Instead of the number of one shard.
  static final int ALL = -1;

  private final Check check;

  ClaimRefusedException(Check check, int shard, String why) {
    super(
        shard == ALL
            ? "no shard is claimed: " + why
            : String.format(Locale.ROOT, "shard %d is not claimed: %s", shard, why));
    this.check = check;
  }

  public Check check() {
    return check;
  }
}
