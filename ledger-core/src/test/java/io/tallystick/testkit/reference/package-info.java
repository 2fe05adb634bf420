/// Slow, plain implementations straight from the definitions, sharing no code with the ones they
/// judge.
@NullMarked
package io.tallystick.testkit.reference;

import org.jspecify.annotations.NullMarked;
