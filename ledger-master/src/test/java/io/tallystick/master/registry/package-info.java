@NullMarked
package io.tallystick.master.registry;

import org.jspecify.annotations.NullMarked;
