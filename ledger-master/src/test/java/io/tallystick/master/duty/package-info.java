@NullMarked
package io.tallystick.master.duty;

import org.jspecify.annotations.NullMarked;
