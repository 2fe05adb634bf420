package io.tallystick.node;

/// The word of a witness that makes a ledger read-only.
///
/// @param by name of the witness
/// @param seenSize of a head that it has cosigned and that is not in the ledger's log
public record ReadOnlyMark(String by, long seenSize) {}
