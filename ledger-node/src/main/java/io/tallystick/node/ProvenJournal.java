package io.tallystick.node;

import io.tallystick.merkle.InclusionProof;

/// A leaf with its parts and the proof of its place in the log.
///
/// @param inclusion of the leaf, verified
public record ProvenJournal(JournalView journal, InclusionProof inclusion) {}
