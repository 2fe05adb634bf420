@NullMarked
package io.tallystick.master.identity;

import org.jspecify.annotations.NullMarked;
