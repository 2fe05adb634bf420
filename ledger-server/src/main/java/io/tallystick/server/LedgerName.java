package io.tallystick.server;

import io.tallystick.model.Digest;

/// A ledger's human name with the salt that opens its commitment in genesis. Kept for display only.
public record LedgerName(Digest salt, String name) {}
