/// RFC 9162 Merkle trees as a verifier needs them: {@link io.tallystick.merkle.TreeHasher} hashes,
/// {@link io.tallystick.merkle.InclusionProof}, {@link io.tallystick.merkle.ConsistencyProof} and
/// {@link io.tallystick.merkle.RangeProof} check, {@link io.tallystick.merkle.TreeGeometry} says
/// which stored nodes a proof is made of. Nothing here builds or stores a tree.
@NullMarked
package io.tallystick.merkle;

import org.jspecify.annotations.NullMarked;
