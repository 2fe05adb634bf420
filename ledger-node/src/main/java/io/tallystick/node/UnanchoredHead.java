package io.tallystick.node;

import io.tallystick.model.StrandId;
import io.tallystick.note.Checkpoint;

/// A sealed head that waits to be stamped.
///
/// @param head of the strand: that of size 2 (genesis and its seal) while it has no time journal,
///   then the newest
/// @param first whether the strand has no time journal yet
/// @param journals how many no time journal covers, seals and time journals left out; at least 1
/// @param sinceMs time of the first of them
public record UnanchoredHead(
    StrandId strand, Checkpoint head, boolean first, long journals, long sinceMs) {}
