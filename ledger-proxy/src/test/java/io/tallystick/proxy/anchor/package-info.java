@NullMarked
package io.tallystick.proxy.anchor;

import org.jspecify.annotations.NullMarked;
