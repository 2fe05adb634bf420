/// Tests of the clue index against lists and reference trees.
@NullMarked
package io.tallystick.testkit.clue;

import org.jspecify.annotations.NullMarked;
