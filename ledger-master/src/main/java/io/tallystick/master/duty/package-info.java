/// What is done once for all, beside what clients ask for: {@link
/// io.tallystick.master.duty.ShardDuties} is what the owner of a shard does for it.
@NullMarked
package io.tallystick.master.duty;

import org.jspecify.annotations.NullMarked;
