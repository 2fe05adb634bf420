package io.tallystick.cluster.server;

import io.tallystick.master.identity.ClaimRefusedException;
import java.io.IOException;

/// This server must not write a shard; its message says why, in one line.
final class NotClaimedException extends IOException {
  private static final long serialVersionUID = 1;

  NotClaimedException(ClaimRefusedException refusal) {
    super(refusal.getMessage(), refusal);
  }
}
