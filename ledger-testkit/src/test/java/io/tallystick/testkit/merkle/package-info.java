/// Core's Merkle proofs against the reference tree.
@NullMarked
package io.tallystick.testkit.merkle;

import org.jspecify.annotations.NullMarked;
