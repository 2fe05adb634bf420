package io.tallystick.node;

import io.tallystick.state.KeyWrite;
import io.tallystick.state.WriteProof;
import java.util.Optional;

/// A write of a key, and how long it is known to have stood.
///
/// @param proof that it was written, verified
/// @param write what that proves
/// @param still the key in the state before the block of the next newer write, or at the end of the
///   tree; empty if it was not asked for, if that state is not kept, or if both writes are of one
///   block
public record KeyVersion(
    WriteProof proof, KeyWrite write, ReadValue value, Optional<ProvenState> still) {}
