@NullMarked
package io.tallystick.proxy.witness;

import org.jspecify.annotations.NullMarked;
