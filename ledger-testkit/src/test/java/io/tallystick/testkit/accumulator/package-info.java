/// Tests of the accumulator against the reference tree and the verifier.
@NullMarked
package io.tallystick.testkit.accumulator;

import org.jspecify.annotations.NullMarked;
