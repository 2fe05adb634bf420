/// What the service tells of its anchoring in time. {@link io.tallystick.proxy.anchor.Anchoring} is
/// the entry.
@NullMarked
package io.tallystick.proxy.anchor;

import org.jspecify.annotations.NullMarked;
