package io.tallystick.merkle;

import io.tallystick.model.Digest;

/// The root over the leaves of a strand's log. Accepted only from a checkpoint, a receipt or a seal
/// under one.
public record JournalRoot(Digest digest) {
  @Override
  public String toString() {
    return digest.hex();
  }
}
