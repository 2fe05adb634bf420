package io.tallystick.node;

import io.tallystick.model.LedgerId;

/// What a node keeps in memory of a ledger's state: the versions that its last blocks left.
///
/// @param newestHeight of the newest sealed block
/// @param oldestHeight from which block on the state can be read
/// @param olderVersions that are kept beside the newest
/// @param olderBytes of memory that they alone take, about
public record KeptState(
    LedgerId ledger, long newestHeight, long oldestHeight, int olderVersions, long olderBytes) {}
