@NullMarked
package io.tallystick.proxy.access;

import org.jspecify.annotations.NullMarked;
