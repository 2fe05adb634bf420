package io.tallystick.node;

import io.tallystick.note.Checkpoint;

/// A time journal and the head that it is about.
///
/// @param timeMs of the journal
/// @param provenMs a token's genTime, or the time of a T-Ledger's leaf
/// @param head that existed then
public record StampedHead(long jsn, long timeMs, long provenMs, Checkpoint head) {}
