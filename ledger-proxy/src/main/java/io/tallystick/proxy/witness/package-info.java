/// Shows the cosignatures of witnesses with the heads that the service serves, and tells how it
/// stands with them. {@link io.tallystick.proxy.witness.CosignedHeads} is the entry.
@NullMarked
package io.tallystick.proxy.witness;

import org.jspecify.annotations.NullMarked;
