package io.tallystick.server.world;

import io.tallystick.journal.GenesisParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.server.LedgerName;

/// What never changes of a ledger: its genesis and the opening of its name.
///
/// @param paramsBytes canonical GenesisParams
public record LedgerState(LedgerId id, Bytes paramsBytes, GenesisParams params, LedgerName name) {}
