package io.tallystick.master.tledger;

import io.tallystick.model.Bytes;

/// A head as its ledger offers it to a T-Ledger; nothing of it is believed.
///
/// @param genesisParams of the ledger, which its ledgerId commits to
/// @param keyChain type 14, from the keys of genesis to those of today
/// @param entry type 22
public record SubmittedHead(Bytes genesisParams, Bytes keyChain, Bytes entry) {}
