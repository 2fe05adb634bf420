/// What both ends of the wire share besides the generated messages.
@NullMarked
package io.tallystick.api;

import org.jspecify.annotations.NullMarked;
