package io.tallystick.node;

import io.tallystick.merkle.InclusionProof;

/// A leaf with what belongs to it, and that it stands in the log.
///
/// @param inclusion of the leaf, verified
public record ProvenJournal(JournalView journal, InclusionProof inclusion) {}
