@NullMarked
package io.tallystick.master.coordinated;

import org.jspecify.annotations.NullMarked;
