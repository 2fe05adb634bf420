package io.tallystick.storage.replicated;

import java.util.Locale;

/// How many machines hold a log.
///
/// @param ensemble machines that share the entries
/// @param write copies of each entry
/// @param ack copies that are forced to disks before an entry is confirmed
public record Quorum(int ensemble, int write, int ack) {
  /// What a segment should have: any one machine may be lost.
  public static final Quorum FULL = new Quorum(3, 3, 2);

  /// What a segment gets while one of three machines is down.
  public static final Quorum THIN = new Quorum(2, 2, 2);

  private static final int ACK_MIN = 2;
  private static final int ENSEMBLE_MAX = 100;

  public Quorum {
    if (ack < ACK_MIN || ack > write || write > ensemble || ensemble > ENSEMBLE_MAX) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "quorum %d/%d/%d, want ensemble >= write >= ack >= %d",
              ensemble,
              write,
              ack,
              ACK_MIN));
    }
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%d/%d/%d", ensemble, write, ack);
  }
}
