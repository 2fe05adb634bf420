package io.tallystick.node;

import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.state.LookupProof;

/// The entry of a key in the state under a head, with its proof.
///
/// @param head the block whose head the proof is under
/// @param answer what the proof proves, verified
public record ProvenState(BlockView head, LookupProof proof, StateAnswer answer, ReadValue value) {}
