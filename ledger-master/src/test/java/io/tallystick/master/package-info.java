/// Tests of the registry.
@NullMarked
package io.tallystick.master;

import org.jspecify.annotations.NullMarked;
