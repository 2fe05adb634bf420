/// Carries removals out: takes the bytes of occulted journals away, in the background, to the end
/// whatever crashes.
@NullMarked
package io.tallystick.server.erase;

import org.jspecify.annotations.NullMarked;
