package io.tallystick.node;

import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;

/// A ledger as of its newest signed head (strand 0).
///
/// @param genesisParams canonical bytes
/// @param size tree size of the newest signed head
/// @param height height of the newest sealed block
public record LedgerView(
    LedgerId id,
    String name,
    String origin,
    Bytes genesisParams,
    long size,
    long height,
    long timeMs) {}
