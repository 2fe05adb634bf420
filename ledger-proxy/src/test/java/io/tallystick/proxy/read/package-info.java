@NullMarked
package io.tallystick.proxy.read;

import org.jspecify.annotations.NullMarked;
