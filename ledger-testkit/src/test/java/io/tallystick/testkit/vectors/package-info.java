/// Golden vectors: JSON files whose name is the attack. {@link
/// io.tallystick.testkit.vectors.Vectors} reads them, {@link
/// io.tallystick.testkit.vectors.VectorRunner} carries one out, and {@link
/// io.tallystick.testkit.vectors.VectorGenerator} makes them.
@NullMarked
package io.tallystick.testkit.vectors;

import org.jspecify.annotations.NullMarked;
