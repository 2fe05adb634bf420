/// The body of a node in this process: {@link io.tallystick.server.host.ShardNode} answers for a
/// shard, {@link io.tallystick.server.host.LocalNode} opens it on a data directory.
@NullMarked
package io.tallystick.server.host;

import org.jspecify.annotations.NullMarked;
