package io.tallystick.proxy.read;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.ProvenJournal;

/// What is answered for one of several journals that a caller asked for at once.
public sealed interface JournalOutcome {
  record Found(ProvenJournal proven) implements JournalOutcome {}

  /// This journal cannot be read; the others can.
  record Refused(RequestRejectedException refusal) implements JournalOutcome {}
}
