package io.tallystick.node;

import io.tallystick.lineage.ClueProof;
import io.tallystick.merkle.patricia.ClueValue;
import java.util.Optional;

/// What the trie under a head says of a clue.
///
/// @param head the block whose head the proof is under
/// @param value empty if the clue was never used
public record ProvenClue(BlockView head, ClueProof proof, Optional<ClueValue> value) {}
