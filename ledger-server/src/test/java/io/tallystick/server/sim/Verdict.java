package io.tallystick.server.sim;

import io.tallystick.model.RejectionCode;
import io.tallystick.server.shard.Shard;

/// What must become of an input, by the rules as the simulator knows them.
sealed interface Verdict {
  record Accepted(long jsn, long timeMs, boolean delegated) implements Verdict {}

  record Repeated(long jsn) implements Verdict {}

  record Refused(RejectionCode code) implements Verdict {}

  /// Of whatever waits in a shard that takes no appends.
  static Verdict refusedIn(Shard.Phase phase) {
    return new Refused(
        phase == Shard.Phase.NO_ROOM ? RejectionCode.STORAGE_FULL : RejectionCode.UNAVAILABLE);
  }

  /// @param answer whether it was done, or how much
  record Noted(Object answer) implements Verdict {}

  record Founded(boolean existed) implements Verdict {}

  /// What was read for it is too old: it was put back.
  record PutBack() implements Verdict {}

  /// Nothing of its turn was kept: there was no room.
  record Undone() implements Verdict {}
}
