/// A shard at work: its commit thread, its index thread, savepoints, recovery and what happens when
/// a disk fails. {@link io.tallystick.server.shard.Shard} is the entry.
@NullMarked
package io.tallystick.server.shard;

import org.jspecify.annotations.NullMarked;
