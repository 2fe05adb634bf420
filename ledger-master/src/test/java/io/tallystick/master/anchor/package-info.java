/// Tests of the anchoring in time.
@NullMarked
package io.tallystick.master.anchor;

import org.jspecify.annotations.NullMarked;
