/// Code that both ends of the wire share besides the generated messages, for Java 21 as the client
/// is.
@NullMarked
package io.tallystick.api;

import org.jspecify.annotations.NullMarked;
