package io.tallystick.node;

import io.tallystick.model.Bytes;

/// A founded ledger: its genesis leaf and the COSE receipt of jsn 0.
public record CreatedLedger(
    LedgerView ledger, boolean existed, Bytes genesisLeaf, Bytes genesisReceipt) {}
