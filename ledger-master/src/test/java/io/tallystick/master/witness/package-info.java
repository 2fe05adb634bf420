/// Tests.
@NullMarked
package io.tallystick.master.witness;

import org.jspecify.annotations.NullMarked;
