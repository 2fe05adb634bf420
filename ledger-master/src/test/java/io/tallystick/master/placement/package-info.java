@NullMarked
package io.tallystick.master.placement;

import org.jspecify.annotations.NullMarked;
