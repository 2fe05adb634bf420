package io.tallystick.client;

import io.tallystick.evidence.JournalProof;

/// A journal of ours, and what shows it to whoever holds its payload.
///
/// @param proof to keep as secret as the payload: it holds the salt
public record ProvenAppend(VerifiedReceipt receipt, JournalProof proof) {}
