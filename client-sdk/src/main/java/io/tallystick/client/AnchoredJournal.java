package io.tallystick.client;

import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.head.SignedHead;
import java.util.Optional;

/// A journal verified from the nearest trusted anchor.
///
/// @param anchor under which it stands; empty if it is above all anchors and stands under the
///   newest trusted head
public record AnchoredJournal(LedgerJournal journal, Optional<SignedHead> anchor) {}
