/// Meters and health of the service's anchoring in time. {@link
/// io.tallystick.proxy.anchor.Anchoring} is the entry.
@NullMarked
package io.tallystick.proxy.anchor;

import org.jspecify.annotations.NullMarked;
