package io.tallystick.node;

import io.tallystick.lineage.ClueProof;
import io.tallystick.merkle.patricia.ClueValue;
import java.util.Optional;

/// The state of a clue under a head, with its proof.
///
/// @param head the block whose head the proof is under
/// @param value empty if the clue was never used
public record ProvenClue(BlockView head, ClueProof proof, Optional<ClueValue> value) {}
