/// Trusted anchors that members share, as notes: {@link io.tallystick.server.anchor.AnchorTable}.
@NullMarked
package io.tallystick.server.anchor;

import org.jspecify.annotations.NullMarked;
