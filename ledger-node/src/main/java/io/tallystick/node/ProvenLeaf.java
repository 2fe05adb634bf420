package io.tallystick.node;

import io.tallystick.merkle.InclusionProof;
import io.tallystick.model.Digest;

/// A leaf hash and the proof that it is in the tree.
///
/// @param leafHash that `inclusion` was verified with
public record ProvenLeaf(Digest leafHash, InclusionProof inclusion) {}
