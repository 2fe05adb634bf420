@NullMarked
package io.tallystick.master.presence;

import org.jspecify.annotations.NullMarked;
