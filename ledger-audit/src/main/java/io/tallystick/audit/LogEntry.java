package io.tallystick.audit;

import io.tallystick.journal.BodyState;
import io.tallystick.model.Bytes;

/// One entry of a log as its source tells it; nothing in it has been checked.
///
/// @param leaf the canonical leaf
/// @param attestation with genesis and the first journal of a submission; empty with all others
/// @param salt empty unless the body is present
/// @param body empty unless it is present
public record LogEntry(Bytes leaf, Bytes attestation, BodyState bodyState, Bytes salt, Bytes body) {

  /// The bytes it holds.
  int sizeBytes() {
    return leaf.size() + attestation.size() + salt.size() + body.size();
  }
}
