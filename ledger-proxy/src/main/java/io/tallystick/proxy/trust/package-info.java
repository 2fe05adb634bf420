/// Trusted anchors that members share: {@link io.tallystick.proxy.trust.TrustedAnchors}.
@NullMarked
package io.tallystick.proxy.trust;

import org.jspecify.annotations.NullMarked;
