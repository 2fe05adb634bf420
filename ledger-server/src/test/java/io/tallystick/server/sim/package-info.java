/// A simulator of one shard with its clients, its network, its clock and its disk: {@link
/// io.tallystick.server.sim.Simulation} is one run of one seed. See docs/testing.md.
@NullMarked
package io.tallystick.server.sim;

import org.jspecify.annotations.NullMarked;
