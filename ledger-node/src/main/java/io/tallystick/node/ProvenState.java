package io.tallystick.node;

import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.state.LookupProof;

/// What the state under a head holds of a key, with its proof.
///
/// @param head the block whose head the proof is under
/// @param answer what the proof proves, verified
public record ProvenState(BlockView head, LookupProof proof, StateAnswer answer, ReadValue value) {}
