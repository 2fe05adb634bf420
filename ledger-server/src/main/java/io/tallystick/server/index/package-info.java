/// The index phase: rebuilds the leaves of committed blocks, accumulates and seals them, and
/// answers from what it has sealed. {@link io.tallystick.server.index.StrandIndex} is one strand's.
@NullMarked
package io.tallystick.server.index;

import org.jspecify.annotations.NullMarked;
