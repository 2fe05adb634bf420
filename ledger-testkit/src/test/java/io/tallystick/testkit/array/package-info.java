/// Tests of the append-only arrays against plain byte arrays.
@NullMarked
package io.tallystick.testkit.array;

import org.jspecify.annotations.NullMarked;
