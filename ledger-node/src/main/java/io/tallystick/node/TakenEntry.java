package io.tallystick.node;

import io.tallystick.model.Bytes;

/// A head that was entered into a T-Ledger.
///
/// @param receiptFile type 9, of the entry
/// @param salt and body that open its commitment
public record TakenEntry(Bytes receiptFile, Bytes salt, Bytes body) {}
