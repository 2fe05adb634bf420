/// A node behind a wire: {@link io.tallystick.wire.NodeStub} is the node that a proxy sees, {@link
/// io.tallystick.wire.NodeListener} the server's side. Source: `docs/formats/node-wire.md`.
@NullMarked
package io.tallystick.wire;

import org.jspecify.annotations.NullMarked;
