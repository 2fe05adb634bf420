package io.tallystick.node;

import io.tallystick.model.LedgerId;

/// The versions of a ledger's state that a node keeps in memory: those that its last blocks left.
///
/// @param newestHeight of the newest sealed block
/// @param oldestHeight from which block on the state can be read
/// @param olderVersions that are kept beside the newest
/// @param olderBytes of memory that they alone take, about
public record KeptState(
    LedgerId ledger, long newestHeight, long oldestHeight, int olderVersions, long olderBytes) {}
