package io.tallystick.server.sim;

import io.tallystick.server.shard.Shard;
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// What a shard must do when it has failed, by the rules of `docs/architecture.md`, "Recovery and
/// failure": after a full disk it waits for room; after another failure of the disk it reopens
/// itself, once; after anything else it takes no more appends.
final class FailurePolicy {
  private final Machine machine;
  private boolean reopened;

  FailurePolicy(Machine machine) {
    this.machine = machine;
  }

  /// A process begins.
  void started() {
    reopened = false;
  }

  /// A shard fails because of its disk, and calls nothing corrupt unless the power went.
  void hasReason(Throwable cause) {
    if (cause instanceof Error
        || !machine.troubled()
        || (cause instanceof CorruptStreamException && !machine.crashed())) {
      throw new Violation("the shard failed without a reason", cause);
    }
  }

  /// The shard ended its serving because of `cause`, and has decided what to do.
  ///
  /// @param faults of the disk while it did
  void ended(Shard shard, Throwable cause, int faults) {
    Shard.Phase phase = shard.phase();
    boolean noRoomLeft = machine.cramped() && phase == Shard.Phase.NO_ROOM;
    boolean right;
    if (cause instanceof DiskFullException) {
      right = phase == Shard.Phase.NO_ROOM;
    } else if (!(cause instanceof IOException) || reopened) {
      right = phase == Shard.Phase.READ_ONLY;
    } else {
      reopened = true;
      Shard.Phase want = faults == 0 ? Shard.Phase.SERVING : Shard.Phase.READ_ONLY;
      right = phase == want || noRoomLeft;
    }
    require(right, shard, cause);
  }

  /// The shard had a turn of waiting for room, or for an operator.
  ///
  /// @param before its phase before the turn
  /// @param faults of the disk in the turn
  void waited(Shard shard, Shard.Phase before, int faults) {
    Shard.Phase phase = shard.phase();
    boolean right;
    if (before == Shard.Phase.READ_ONLY) {
      right = phase == Shard.Phase.READ_ONLY;
    } else if (faults == 0) {
      right = phase == (machine.cramped() ? Shard.Phase.NO_ROOM : Shard.Phase.SERVING);
    } else {
      // It reopened, and that failed: once more, if it may.
      right = !reopened || phase != Shard.Phase.SERVING;
      reopened = true;
    }
    require(right, shard, before);
  }

  private void require(boolean right, Shard shard, Object after) {
    Violation.unless(
        right,
        "the shard is %s after %s; it had%s reopened itself before, the disk is%s cramped",
        shard.phase(),
        after,
        reopened ? "" : " not",
        machine.cramped() ? "" : " not");
  }
}
