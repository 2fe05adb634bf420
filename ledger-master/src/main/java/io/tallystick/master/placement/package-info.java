/// Which server shall write which shard. {@link io.tallystick.master.placement.MasterTurns} is what
/// the leading master does again and again; {@link io.tallystick.master.placement.ShardPlacement}
/// decides. All of it is advice: who writes a shard is decided by the claim on it alone.
@NullMarked
package io.tallystick.master.placement;

import org.jspecify.annotations.NullMarked;
