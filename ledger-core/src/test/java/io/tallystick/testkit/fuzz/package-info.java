/// What fuzz tests share: {@link io.tallystick.testkit.fuzz.FuzzContract} is what every class of
/// targets extends, {@link io.tallystick.testkit.fuzz.Edits} is how evidence is mutated. How they
/// are run: `docs/testing.md`.
@NullMarked
package io.tallystick.testkit.fuzz;

import org.jspecify.annotations.NullMarked;
