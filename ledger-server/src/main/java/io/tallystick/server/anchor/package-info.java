/// Trusted anchors that members share, in the meta store: {@link
/// io.tallystick.server.anchor.AnchorTable}.
@NullMarked
package io.tallystick.server.anchor;

import org.jspecify.annotations.NullMarked;
