package io.tallystick.proxy.read;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.ProvenJournal;

/// The answer for one of several journals that a caller asked for at once.
public sealed interface ReadOutcome {
  record Found(ProvenJournal proven) implements ReadOutcome {}

  /// This journal cannot be read; the others can.
  record Refused(RequestRejectedException refusal) implements ReadOutcome {}
}
