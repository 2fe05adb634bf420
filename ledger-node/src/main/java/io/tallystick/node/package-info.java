/// The face of a node: what proxy and master may ask of a host of shards. {@link
/// io.tallystick.node.LedgerNode} is the entry; its body is in this process or behind a wire.
@NullMarked
package io.tallystick.node;

import org.jspecify.annotations.NullMarked;
