/// The service application, started for real.
@NullMarked
package io.tallystick.proxy;

import org.jspecify.annotations.NullMarked;
